// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_detector_pkg: control words of termination detection, and the tree of boards in a mesh.
// How:          the numbers are those of sim/net/detector_tree.cc. The tree of a mesh of W x H boards leads along x to
//               column (W-1)/2, then along y to row (H-1)/2. All functions are of constants of the board.
// Source: own design.   Tests: overlay_detector_rtl_test.cc, test_overlay_detector_formal.py
package polyloom_overlay_detector_pkg;

  localparam int unsigned LINKS = 4;
  localparam int unsigned NORTH = 0;
  localparam int unsigned EAST = 1;
  localparam int unsigned SOUTH = 2;
  localparam int unsigned WEST = 3;
  localparam int unsigned OWN = 4;  // as a source of reports, beside the links to children
  localparam int unsigned SOURCES = 5;
  localparam int unsigned COUNT_BITS = 24;  // more than a link can hold
  localparam int unsigned GATE_BITS = 16;
  localparam int unsigned LOCAL_BITS = 16;

  // First byte of a frame of control words.
  localparam logic [7:0] OP_REPORT = 8'd1;
  localparam logic [7:0] OP_RELEASE = 8'd2;
  localparam logic [7:0] OP_REQUEST = 8'd3;
  localparam logic [7:0] OP_GRANT = 8'd4;

  typedef logic [COUNT_BITS-1:0] count_t;

  // An end of a link: board and link of that board.
  typedef struct packed {
    logic [2:0] y;
    logic [2:0] x;
    logic [1:0] link;
  } key_t;

  // Bits [63:56] of a word are the link's: a count in a frame's first, else zero.
  typedef logic [55:0] word_t;

  // A word of a report after the first. What crossed the link, as the board saw it when it reported.
  typedef struct packed {
    key_t   key;
    count_t sent;
    count_t received;
  } end_t;

  // The first word of a frame; vote belongs to reports and releases, the rest to reports.
  typedef struct packed {
    logic [7:0]           zero1;
    logic [GATE_BITS-1:0] gate;   // grants that board (0,0) had used
    logic [7:0]           zero2;
    logic [7:0]           ends;
    logic [5:0]           zero3;
    logic                 epoch;
    logic                 vote;
    logic [7:0]           op;
  } head_t;

  // A word on its way into combine.
  typedef struct packed {
    logic [2:0] source;  // link, or OWN
    logic       first;   // of its frame
    logic       last;
    word_t      word;
  } step_t;

  // Where a board is.
  typedef struct packed {
    logic [2:0] y;
    logic [2:0] x;
    logic [3:0] height;  // of the mesh, in boards
    logic [3:0] width;
  } place_t;

  // Middle of so many boards, rounded down.
  function automatic logic [2:0] middle(logic [3:0] boards);
    return 3'((boards - 4'd1) >> 1);
  endfunction

  function automatic logic is_root(place_t p);
    return p.x == middle(p.width) && p.y == middle(p.height);
  endfunction

  // The board's links that lead to a board.
  function automatic logic [LINKS-1:0] links_of(place_t p);
    logic [LINKS-1:0] have;
    have[NORTH] = {1'b0, p.y} + 4'd1 < p.height;
    have[EAST]  = {1'b0, p.x} + 4'd1 < p.width;
    have[SOUTH] = p.y != '0;
    have[WEST]  = p.x != '0;
    return have;
  endfunction

  // The link towards the root; none at the root.
  function automatic logic [LINKS-1:0] parent_of(place_t p);
    logic [LINKS-1:0] link;
    logic column;
    column = p.x == middle(p.width);
    link[NORTH] = column && p.y < middle(p.height);
    link[EAST] = p.x < middle(p.width);
    link[SOUTH] = column && p.y > middle(p.height);
    link[WEST] = p.x > middle(p.width);
    return link;
  endfunction

  function automatic logic [LINKS-1:0] children_of(place_t p);
    logic [LINKS-1:0] link;
    logic column;
    column = p.x == middle(p.width);
    link[NORTH] = column && p.y >= middle(p.height);
    link[EAST] = p.x >= middle(p.width);
    link[SOUTH] = column && p.y <= middle(p.height);
    link[WEST] = p.x <= middle(p.width);
    return link & links_of(p);
  endfunction

  // The child whose subtree holds board (0,0); none if no child's does.
  function automatic logic [LINKS-1:0] gate_child_of(place_t p);
    logic [LINKS-1:0] link;
    link = '0;
    if (p.y != '0) link[SOUTH] = 1'b1;
    else if (p.x != '0) link[WEST] = 1'b1;
    return link & children_of(p);
  endfunction

  function automatic key_t other_end(key_t key);
    key_t other;
    other = key;
    other.link = key.link ^ 2'd2;
    unique case (32'(key.link))
      NORTH:   other.y = key.y + 3'd1;
      EAST:    other.x = key.x + 3'd1;
      SOUTH:   other.y = key.y - 3'd1;
      default: other.x = key.x - 3'd1;
    endcase
    return other;
  endfunction

  // Which source reports the ends of a board: the way to it down the tree. None: it is not in the subtree of p.
  function automatic logic [SOURCES-1:0] source_of(place_t p, logic [2:0] y, logic [2:0] x);
    logic [SOURCES-1:0] source;
    source = '0;
    if (y > p.y) source[NORTH] = 1'b1;
    else if (y < p.y) source[SOUTH] = 1'b1;
    else if (x > p.x) source[EAST] = 1'b1;
    else if (x < p.x) source[WEST] = 1'b1;
    else source[OWN] = 1'b1;
    return source & {1'b1, children_of(p)};
  endfunction

endpackage
