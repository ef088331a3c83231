// SPDX-License-Identifier: Apache-2.0
// The C ABI around one Verilated model, or two: a shell and its app (POLYLOOM_APP). Compiled by
// polyloom.rtl.node_build, which generates polyloom_shape.h: the model's class (Model), its ports (kPorts,
// port_data), the app's class (App) and what passes between the two (to_app, from_app), kTop, kParameters and
// POLYLOOM_TRACED.
#include <memory>
#include <new>
#include <string>

#include "blocks/verilated/shim/abi.h"
#include "polyloom_shape.h"
#include "verilated.h"
#if POLYLOOM_TRACED
#include "verilated_fst_c.h"
#endif

namespace {

struct Instance {
  explicit Instance(std::uint64_t seed) {
    context.randReset(2);  // what reset does not set starts at random, so that nothing relies on it
    context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    context.traceEverOn(POLYLOOM_TRACED != 0);
    model = std::make_unique<Model>(&context, "top");
    model->clk_i = 0;
#if POLYLOOM_APP
    app = std::make_unique<App>(&context, "app");
    app->clk_i = 0;
#endif
  }
  ~Instance() {
    try {
      model->final();
#if POLYLOOM_APP
      app->final();
#endif
    } catch (...) {  // an assertion in a final block cannot be reported any more
    }
    polyloom_rtl::clear_print();
  }

  VerilatedContext context;
  std::unique_ptr<Model> model;
#if POLYLOOM_APP
  std::unique_ptr<App> app;
#endif
  std::string error;
#if POLYLOOM_TRACED
  std::unique_ptr<VerilatedFstC> trace;
#endif
};

Instance& of(void* handle) { return *static_cast<Instance*>(handle); }

template <typename Body>
int guarded(void* handle, Body body) {
  Instance& instance = of(handle);
  try {
    Verilated::threadContextp(&instance.context);  // instances wander between threads
    body(instance);
    polyloom_rtl::flush_print();
    return 0;
  } catch (const std::exception& e) {
    instance.error = e.what();
  } catch (...) {
    instance.error = "an exception of unknown type";
  }
  return 1;
}

void* create(std::uint64_t seed) {
  try {
    return new Instance(seed);
  } catch (...) {
    return nullptr;
  }
}

void destroy(void* handle) { delete static_cast<Instance*>(handle); }

std::uint8_t* port(void* handle, std::uint32_t i) {
  return static_cast<std::uint8_t*>(port_data(*of(handle).model, i));
}

#if POLYLOOM_APP
/// Evaluates both until neither has news for the other. Most outputs of the app are those of its registers
/// alone, so the shell gets them first; few edges need more than one round.
void evaluate(Instance& i) {
  from_app(*i.app, *i.model);
  i.model->eval();
  to_app(*i.app, *i.model);
  i.app->eval();
  while (from_app(*i.app, *i.model)) {
    i.model->eval();
    if (!to_app(*i.app, *i.model)) break;
    i.app->eval();
  }
}
#endif

int settle(void* handle) {
  return guarded(handle, [](Instance& i) {
    i.model->clk_i = 0;
#if POLYLOOM_APP
    i.app->clk_i = 0;
    evaluate(i);
#else
    i.model->eval();
#endif
  });
}

/// Registers of both see what stood before the edge: neither has heard of the other since.
int step(void* handle) {
  return guarded(handle, [](Instance& i) {
    i.model->clk_i = 1;
    i.model->eval();
#if POLYLOOM_APP
    i.app->clk_i = 1;
    i.app->eval();
    if (POLYLOOM_TRACED) evaluate(i);  // or waves would show each what the other was
#endif
  });
}

const char* error(void* handle) { return of(handle).error.c_str(); }

int trace_open(void* handle, const char* path) {
  return guarded(handle, [&]([[maybe_unused]] Instance& i) {
#if POLYLOOM_TRACED
    i.trace = std::make_unique<VerilatedFstC>();
    i.model->trace(i.trace.get(), 99);
#if POLYLOOM_APP
    i.app->trace(i.trace.get(), 99);
#endif
    i.trace->open(path);
    if (!i.trace->isOpen()) throw std::runtime_error(std::string("cannot write the wave file ") + path);
#else
    throw std::runtime_error(std::string("built without waves, so none can go to ") + path);
#endif
  });
}

int trace_dump(void* handle, [[maybe_unused]] std::uint64_t picoseconds) {
  return guarded(handle, [&]([[maybe_unused]] Instance& i) {
#if POLYLOOM_TRACED
    i.trace->dump(picoseconds);
#endif
  });
}

void trace_close(void* handle) {
  guarded(handle, []([[maybe_unused]] Instance& i) {
#if POLYLOOM_TRACED
    if (i.trace) i.trace->close();
    i.trace.reset();
#endif
  });
}

constexpr polyloom_rtl_api kApi = {
    POLYLOOM_RTL_ABI_VERSION,
    POLYLOOM_TRACED,
    kTop,
    kParameters,
    sizeof kPorts / sizeof kPorts[0],
    kPorts,
    create,
    destroy,
    port,
    settle,
    step,
    error,
    trace_open,
    trace_dump,
    trace_close,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const polyloom_rtl_api* polyloom_rtl_abi(void) {
  return &kApi;
}
