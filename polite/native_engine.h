// SPDX-License-Identifier: Apache-2.0
// Contract between PGraph and the native engine (polite/native/).
//
// In native mode PGraph::write(HostLink*) calls, with the application's own vertex class so that handlers are
// inlined:
//
//   template <class Dev, class S, class E, class M>
//   std::unique_ptr<overlay::NativeProgram> make_native_program(const NativeGraph& graph);
//
// which polite/native/engine.h defines in namespace polyloom::polite. The program runs when the host program
// calls HostLink::go() (roles/overlay/host/native_program.h); what vertices send to the host (HostPin,
// finish) are PMessage<M> with destKey 0, padded with zeros to 64 bytes; finish messages come in vertex
// order. When it ends, states are left in graph.state; of several processes each leaves those of its own vertices,
// and every one gets all messages to the host.
//
// Handlers run on a `Dev` object that the engine makes on its stack:
//   Dev d; d.s = &states[v]; d.a = &accumulators[v]; d.readyToSend = &rts[v];
//   d.numVertices = graph.num_vertices; d.time = rounds;
// Rules of the softswitch (docs/sources/tinsel.md, 5.3) that an engine must keep:
// - init for all vertices, then all sends, then all receives, repeated until none wants to send, is a legal
//   order;
// - send is called only if *readyToSend is not No at that moment; the message goes to the pin requested
//   before the call; send is called again if the vertex still wants to send afterwards;
// - step is called on every vertex when nothing is in flight and none wants to send, at least once; `time`
//   grows by one after each round;
// - finish follows when the previous round of step returned false for every vertex, after the messages that
//   this round may have caused were delivered.
#pragma once

#include "polite/native_view.h"
