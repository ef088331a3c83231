// SPDX-License-Identifier: Apache-2.0
// Dissipative particle dynamics in a periodic cube of side^3 unit cells. A vertex is a cell: it holds the
// beads that are in it and talks to its 26 neighbours. A time step: every cell sends its beads, computes the
// forces on them as others' arrive, moves them (velocity Verlet, as LAMMPS does it), and hands on those that
// have left it.
//
// Positions are int32, in 2^-28 of a cell; velocities and half-step kicks too, as the way of a time step. A
// pair's kick is computed in float from differences of integers, which both cells of a pair see but for the
// sign, and added up as integers. So momentum is kept exactly, and nothing depends on the order of messages.
// Random numbers are of the two beads' ids and the step, the same for both cells.
//
// `sync` has three kinds of supersteps: beads, report (when due), leaving beads. `gals` has no barriers: a
// cell goes on when it has heard from its 26 neighbours, who say how many messages come. A further exchange,
// ready, says that a cell has all that have come over to it; so beads never come before, and at most one kind
// of messages comes early.
//
// Sources: Groot, Warren, J. Chem. Phys. 107 (1997); Multicast paper, section VI (DPD).
#include <polyloom/program.h>

#include "apps/dpd/draw.h"

#if POLYLOOM_HOST
#include <fmt/format.h>

#include <functional>
#include <map>

#include "apps/dpd/box.h"
#include "fabric/partial_file.h"
#include "polite/generate.h"
#endif

namespace dpd {

/// Unit of length: a cell is 2^28.
inline constexpr int32_t kCell = 1 << 28;
inline constexpr uint32_t kMostBeads = 32;  ///< in a cell, those that come and go included
inline constexpr uint32_t kNeighbours = 26;
inline constexpr int32_t kAllSilent = kNeighbours << 16;

enum Phase : uint32_t { kBeads, kLeaving, kReady, kReport, kStopped };
enum Failure : uint32_t { kNone, kReported, kCrowded, kFast };

/// As it travels.
struct Bead {
  int32_t x[3];  ///< from the lower corner of the sender's cell
  int32_t u[3];  ///< way of a step: velocity at half steps
  uint32_t id;   ///< in its place draw(id, step) while forces are computed, which need no more
};

struct Message {
  uint16_t messages;  ///< of the sender in this phase, in the first of them; 0 in the others
  uint8_t phase;
  uint8_t beads;
  Bead bead[2];  ///< to the host: a bead, and as x its kick, as u[0] the cell, as id the step
};

/// As it lives in a cell.
struct Resident {
  int32_t x[3];
  int32_t u[3];
  int32_t kick[3];  ///< by forces so far, of half a step
  uint32_t draw;
  uint32_t id;
};

/// Constants of the loop over pairs. From the state one costs an instruction, and only where it is needed; as
/// literals they would be made ready for every message, of which half have no bead within reach, and take
/// registers.
struct Numbers {
  float first, second, third;  ///< of cell_over_root()
  float one;
  uint32_t guess;
  uint32_t factor;  ///< of pair_draw()
};
inline constexpr Numbers kNumbers = {861.139921f, 360.423554f, 786432.0f, 1, 0x5f1ffff9u, kPairFactor};

struct Cell {
  uint32_t id;
  uint32_t step, steps;
  uint32_t until, every;  ///< steps to the next report, and from one to the next; 0: none
  uint32_t also;          ///< a further step to report
  uint32_t phase;
  uint32_t sent, to_send;  ///< messages of this phase
  uint32_t residents;      ///< beads that forces act on; behind them lie the leaving, then those that came
  uint32_t staying;        ///< of the residents, while others leave
  uint32_t all;
  uint32_t failure, failed_at;
  uint32_t key;  ///< of the seed
  float repulsion, noise, friction;
  Numbers numbers;
  int32_t silent[3];  ///< gals, by phase: neighbours not heard of << 16, and messages missing
  Resident bead[kMostBeads];
};

struct Result {
  uint32_t id;
  uint32_t value;  ///< beads
  uint32_t failure;
  uint32_t step;  ///< of the failure
};

/// Offset of the sender's cell from the receiver's, two bits a coordinate.
typedef uint32_t Offset;
INLINE int32_t along(Offset offset, uint32_t axis) {
  return ((int32_t)(offset << (30 - 2 * axis)) >> 30) * kCell;
}

/// kCell/sqrt(x), to 7e-7 of itself, by a guess and two Newton steps; 0 gives a finite number. Without a
/// division: threads share one divider a tile.
INLINE float cell_over_root(const Numbers& n, float x, uint32_t bits) {
  static_assert(kCell == 1 << 28);
  const float guess = __builtin_bit_cast(float, n.guess - (bits >> 1));
  const float near = guess * (n.first - (n.second * x) * (guess * guess));  // 2^9/sqrt(x), to 7e-4
  return near * (n.third - (x * near) * near);
}

/// Kicks all residents by a message's beads, whose cell lies `offset` away. One may be such a bead itself: at
/// distance 0 there is no force. Not inlined: two handlers use it, and the loop needs many registers.
__attribute__((noinline)) inline void kick(Cell* s, const Message* msg, Offset offset) {
  constexpr uint32_t kReach = kCell - 1;
  constexpr uint32_t kSquare = __builtin_bit_cast(uint32_t, (float)kCell * (float)kCell);
  // Differences are counted from -kReach: one comparison says whether a bead is within reach; most are not.
  const uint32_t shift[3] = {along(offset, 0) - kReach, along(offset, 1) - kReach, along(offset, 2) - kReach};
  const Resident* const end = s->bead + s->residents;
  const Bead* const last = msg->bead + msg->beads;
  for (const Bead* other = msg->bead; other != last; ++other) {
    const uint32_t from[3] = {other->x[0] + shift[0], other->x[1] + shift[1], other->x[2] + shift[2]};
    for (Resident* own = s->bead; own != end; ++own) {
      const uint32_t dx = own->x[0] - from[0];
      if (dx > 2 * kReach) continue;
      const uint32_t dy = own->x[1] - from[1];
      if (dy > 2 * kReach) continue;
      const uint32_t dz = own->x[2] - from[2];
      if (dz > 2 * kReach) continue;
      const float x = (float)(int32_t)(dx - kReach), y = (float)(int32_t)(dy - kReach),
                  z = (float)(int32_t)(dz - kReach);
      const float square = x * x + y * y + z * z;
      const uint32_t bits = __builtin_bit_cast(uint32_t, square);  // in the order of such floats
      if (bits >= kSquare) continue;
      const float weight =
          cell_over_root(s->numbers, square, bits) - s->numbers.one;  // w/r, of the weight w = 1 - r
      const float approach = x * (float)(own->u[0] - other->u[0]) + y * (float)(own->u[1] - other->u[1]) +
                             z * (float)(own->u[2] - other->u[2]);
      const float random = s->noise * (float)pair_draw(own->draw, other->id, s->numbers.factor);
      const float size = weight * (s->repulsion + random - s->friction * weight * approach);
      own->kick[0] += (int32_t)(size * x);
      own->kick[1] += (int32_t)(size * y);
      own->kick[2] += (int32_t)(size * z);
    }
  }
}

template <bool kGals>
struct CellVertex : PDevice<Cell, Offset, Message> {
  static constexpr bool recvNeverSends = !kGals;
  using Base = PDevice<Cell, Offset, Message>;
  using Base::readyToSend;
  using Base::s;

  INLINE void init() { begin(kBeads); }

  INLINE void request() {
    *readyToSend = s->sent == s->to_send ? No : s->phase == kReport ? HostPin : Pin(0);
  }
  INLINE void begin(Phase phase) {
    s->phase = phase;
    s->sent = 0;
    const uint32_t beads = phase == kLeaving ? s->residents - s->staying : s->residents;
    s->to_send = phase == kReport ? beads : phase >= kReady ? 1 : (beads + 1) / 2;
    if (kGals && s->to_send == 0 && phase != kReport) s->to_send = 1;  // to be heard of
    request();
  }

  INLINE void send(Message* msg) {
    const uint32_t phase = s->phase;
    msg->phase = (uint8_t)phase;
    msg->beads = 0;
    if (phase == kReport) {
      report(msg, &s->bead[s->sent]);
    } else {
      msg->messages = (uint16_t)(s->sent == 0 ? s->to_send : 0);
      if (phase <= kLeaving) {
        const uint32_t last = s->residents;
        uint32_t next = (phase == kLeaving ? s->staying : 0) + 2 * s->sent;
        for (; msg->beads < 2 && next < last; ++next) put(&msg->bead[msg->beads++], &s->bead[next]);
      }
    }
    ++s->sent;
    request();
    // A cell's beads meet each other, too.
    if (phase == kBeads) kick(s, msg, 0);
    if (kGals) advance();
  }
  INLINE void put(Bead* to, const Resident* from) {
    for (uint32_t i = 0; i < 3; ++i) to->x[i] = from->x[i];
    for (uint32_t i = 0; i < 3; ++i) to->u[i] = from->u[i];
    to->id = s->phase == kBeads ? from->draw : from->id;
  }
  INLINE void report(Message* msg, const Resident* from) {
    put(&msg->bead[0], from);
    for (uint32_t i = 0; i < 3; ++i) msg->bead[1].x[i] = from->kick[i];
    msg->bead[1].u[0] = (int32_t)s->id;
    msg->bead[1].id = s->step;
  }
  INLINE void recv(Message* msg, const Offset* offset) {
    const uint32_t phase = msg->phase;
    if (phase == kBeads) {
      kick(s, msg, *offset);
    } else if (phase == kLeaving) {
      for (uint32_t i = 0; i < msg->beads; ++i) welcome(&msg->bead[i], *offset);
    } else if (phase == kStopped) {
      fail(kReported);
    }
    if (kGals) {
      if (phase <= kReady) s->silent[phase] += msg->messages == 0 ? -1 : msg->messages - 1 - (1 << 16);
      advance();
    }
  }
  /// Takes a bead in if it is in this cell now.
  INLINE void welcome(const Bead* bead, Offset offset) {
    int32_t x[3];
    for (uint32_t i = 0; i < 3; ++i) {
      x[i] = bead->x[i] + along(offset, i);
      if ((uint32_t)x[i] >= (uint32_t)kCell) return;
    }
    if (s->all == kMostBeads) return fail(kCrowded);
    Resident* const own = &s->bead[s->all++];
    for (uint32_t i = 0; i < 3; ++i) own->x[i] = x[i];
    for (uint32_t i = 0; i < 3; ++i) own->u[i] = bead->u[i];
    own->id = bead->id;
  }
  INLINE void fail(Failure failure) {
    if (s->failure != kNone) return;
    s->failure = failure;
    s->failed_at = s->step;
  }

  /// The messages of this phase are all sent and heard: what follows.
  INLINE bool next() {
    if (s->phase == kStopped) return false;
    if (s->failure == kNone) {
      if (s->phase == kBeads && is_due()) {
        begin(kReport);
        if (!kGals || s->residents != 0) return true;
      }
      if (s->phase == kBeads || s->phase == kReport) {
        if (s->step == s->steps) return false;
        move();
        begin(kLeaving);
      } else {
        if (s->phase == kLeaving) settle();
        begin(kGals && s->phase == kLeaving ? kReady : kBeads);
      }
    }
    if (s->failure != kNone) begin(kStopped);  // tells all others
    return true;
  }
  INLINE bool is_due() {
    const bool regular = --s->until == 0;
    if (regular) s->until = s->every;
    return regular || s->step == s->steps || s->step == s->also;
  }
  /// Kicks of two half steps, then a step of the way; those that leave come to lie behind the others.
  INLINE void move() {
    const uint32_t shift = s->step == 0 ? 0 : 1;
    uint32_t staying = s->residents;
    for (uint32_t i = 0; i < staying;) {
      Resident* const own = &s->bead[i];
      uint32_t out = 0;
      for (uint32_t axis = 0; axis < 3; ++axis) {
        own->u[axis] += own->kick[axis] * (1 << shift);
        own->kick[axis] = 0;
        if ((uint32_t)(own->u[axis] + kCell) > 2u * kCell) return fail(kFast);
        own->x[axis] += own->u[axis];
        out |= (uint32_t)own->x[axis] >= (uint32_t)kCell;
      }
      own->draw = draw(own->id, s->key, s->step + 1);
      if (out == 0) {
        ++i;
      } else {
        const Resident leaving = *own;
        *own = s->bead[--staying];
        s->bead[staying] = leaving;
        // The one that took its place has not moved yet.
      }
    }
    s->staying = staying;
  }
  /// Those that left go, those that came get their places.
  INLINE void settle() {
    uint32_t to = s->staying;
    ++s->step;
    for (uint32_t from = s->residents; from < s->all; ++from, ++to) {
      Resident* const own = &s->bead[to];
      *own = s->bead[from];
      for (uint32_t i = 0; i < 3; ++i) own->kick[i] = 0;
      own->draw = draw(own->id, s->key, s->step);
    }
    s->residents = s->all = to;
  }

  INLINE bool has_all() const {
    return s->sent == s->to_send && (s->phase > kReady || s->silent[s->phase] == 0);
  }
  INLINE void advance() {
    if (s->failure != kNone && s->phase != kStopped) return begin(kStopped);
    if (!has_all()) return;
    if (s->phase <= kReady) s->silent[s->phase] = kAllSilent;
    next();
  }
  INLINE bool step() { return !kGals && next(); }

  INLINE bool finish(Result* result) {
    result->id = s->id;
    result->value = s->residents;
    result->failure = s->failure;
    result->step = s->failed_at;
    return true;
  }
};

struct Dpd : polyloom::Program {
  using Modes =
      polyloom::Modes<polyloom::Mode<"sync", CellVertex<false>>, polyloom::Mode<"gals", CellVertex<true>>>;
  static constexpr const char* purpose = "Dissipative particle dynamics in a periodic cube.";
  static constexpr bool states_in_dram = true;
  static constexpr bool draws = true;
  static constexpr polyloom::Parameter parameters[] = {
      {"side", 8, "Cells, and cutoffs, along each edge of the cube", 3, 256},
      {"density", 3, "Beads a cell", 0.01, 20, false},
      {"steps", 100, "Time steps"},
      {"dt", 0.04, "Length of a time step", 0.001, 0.1, false},
      {"a", 25, "Repulsion of two beads", 0, 1000, false},
      {"gamma", 4.5, "Friction", 0, 100, false},
      {"kT", 1, "Temperature, as an energy", 0, 100, false},
      {"every", 0, "Steps from one look at the beads to the next; 0: the last step alone"}};

#if POLYLOOM_HOST
  static constexpr polyloom::Text texts[] = {
      {"beads", "", "File for the beads at each look: step,bead,x,y,z,vx,vy,vz", {}, polyloom::File::written},
      {"thermo", "", "File for step,temperature,pressure at each look", {}, polyloom::File::written},
      {"rdf", "", "File for the radial distribution, mean of all looks: r,g", {}, polyloom::File::written}};

  /// How many steps --verify follows: differences grow tenfold in some ten.
  static constexpr uint32_t kFollowed = 20;

  static Terms terms(const Options& options) {
    const double side = options.parameter("side");
    return {.side = static_cast<uint32_t>(side),
            .beads = static_cast<uint32_t>(std::lround(options.parameter("density") * side * side * side)),
            .dt = options.parameter("dt"),
            .a = options.parameter("a"),
            .gamma = options.parameter("gamma"),
            .kt = options.parameter("kT"),
            .seed = options.seed};
  }
  static uint32_t steps(const Options& options) { return static_cast<uint32_t>(options.parameter("steps")); }

  static void refuse_impossible(const Options& options) {
    const Terms t = terms(options);
    const auto refuse = [](const std::string& why) { throw polyloom::UserError(why); };
    if (t.beads < 2)
      refuse(fmt::format("--density {:g} --side {}: that is {} beads; 2 at least",
                         options.parameter("density"), t.side, t.beads));
    // What integers hold, and far beyond what the method can follow.
    const double push = (t.a + std::numbers::sqrt3 * t.sigma() / std::sqrt(t.dt)) * t.dt * t.dt / 2;
    const auto smaller = [&](const char* named, double value, const std::string& what) {
      refuse(fmt::format("--dt {:g} --{} {:g}: {}; give a smaller --dt or --{}", t.dt, named, value, what,
                         named));
    };
    if (std::sqrt(t.kt) * t.dt > 0.125)
      smaller("kT", t.kt, "beads would go more than an eighth of a cell in a time step, on average");
    if (t.gamma * t.dt > 1)
      smaller("gamma", t.gamma, "friction would turn velocities round in one time step");
    if (push > 0.25)
      smaller("a", t.a, "two beads would push each other by more than a quarter of a cell in a time step");
  }

  static Input make(const Options& options) {
    refuse_impossible(options);
    const uint32_t side = terms(options).side;
    polyloom::polite::GraphData cube = polyloom::polite::cube_graph(side, side, side);
    Input input;
    input.vertices = cube.vertices;
    input.edges = std::move(cube.edges);
    input.names = std::move(cube.names);
    input.description = fmt::format("a cube of {0} x {0} x {0} cells, {1} beads", side, terms(options).beads);
    return input;
  }
  template <typename Graph>
  static void connect(Graph& graph, const Input& input) {
    const auto side = static_cast<uint32_t>(std::lround(std::cbrt(input.vertices)));
    graph.reserveEdges(input.edges.size());
    for (const auto& edge : input.edges) {
      Offset offset = 0;
      uint32_t from = edge.from, to = edge.to;
      for (uint32_t axis = 0; axis < 3; ++axis, from /= side, to /= side) {
        const uint32_t ahead = (from % side + side - to % side) % side;
        offset |= (ahead <= 1 ? ahead : 3) << 2 * axis;  // 3 is -1 in two bits
      }
      graph.addLabelledEdge(offset, edge.from, 0, edge.to);
    }
  }

  template <typename Graph>
  static void prepare(Graph& graph, const Options& options, const Input& input, uint32_t) {
    const Terms t = terms(options);
    const double to_kick = t.dt * t.dt / 2;  // from a force to a way
    for (uint32_t v = 0; v < input.vertices; ++v) {
      Cell& cell = graph.devices[v]->state;
      cell.steps = steps(options);
      cell.every = static_cast<uint32_t>(options.parameter("every"));
      cell.until = cell.every == 0 ? 0 : cell.every + 1;  // counted from step 0 on
      cell.also = options.verify ? kFollowed : cell.steps;
      cell.key = t.key();
      cell.numbers = kNumbers;
      cell.repulsion = static_cast<float>(t.a * to_kick);
      cell.noise = static_cast<float>(t.sigma() * std::numbers::sqrt3 / 0x1p31 / std::sqrt(t.dt) * to_kick);
      cell.friction = static_cast<float>(t.gamma * t.dt / 2 / kCell / kCell);
      for (int32_t& silent : cell.silent) silent = kAllSilent;
    }
    const Beads beads = at_start(t);
    int64_t sum[3] = {};
    for (uint32_t i = 0; i < t.beads; ++i) {
      uint32_t at[3];
      Resident bead{};
      for (int k = 0; k < 3; ++k) {
        const int64_t end = int64_t{t.side} * kCell;
        const int64_t x = std::min<int64_t>(std::llround(beads.x[i][k] * kCell), end - 1);
        at[k] = static_cast<uint32_t>(x / kCell);
        bead.x[k] = static_cast<int32_t>(x % kCell);
        bead.u[k] = static_cast<int32_t>(std::lround(beads.half[i][k] * t.dt * kCell));
        sum[k] += bead.u[k];
      }
      bead.id = i;
      bead.draw = draw(i, t.key(), 0);
      if (i + 1 == t.beads)
        for (int k = 0; k < 3; ++k) bead.u[k] -= static_cast<int32_t>(sum[k]);  // what rounding has left
      Cell& cell = graph.devices[at[0] + t.side * (at[1] + t.side * at[2])]->state;
      if (cell.residents == kMostBeads) throw crowded(t, cell.id, 0);
      cell.bead[cell.residents++] = bead;
      cell.all = cell.residents;
    }
  }

  static polyloom::UserError crowded(const Terms& t, uint32_t cell, uint32_t step) {
    return polyloom::UserError(
        fmt::format("more than {} beads are in, or come to, cell {} ({}, {}, {}) in step {}, and a cell has "
                    "no room for more; give "
                    "a smaller --density, or a larger --a if they cluster",
                    kMostBeads, cell, cell % t.side, cell / t.side % t.side, cell / t.side / t.side, step));
  }

  /// What the cells have told, by step.
  static inline std::map<uint32_t, Beads> looks;

  static void hear(const Options& options, const Input&, std::span<const Message> messages, Outcome&) {
    const Terms t = terms(options);
    const double velocity = 1 / (t.dt * kCell);
    std::map<uint32_t, std::vector<bool>> seen;
    for (const Message& message : messages) {
      const Bead& bead = message.bead[0];
      const Bead& more = message.bead[1];
      const auto cell = static_cast<uint32_t>(more.u[0]);
      const uint32_t at[3] = {cell % t.side, cell / t.side % t.side, cell / t.side / t.side};
      Beads& beads = looks[more.id];
      if (beads.x.empty()) {
        beads.step = more.id;
        beads.x.resize(t.beads), beads.half.resize(t.beads), beads.kick.resize(t.beads);
        seen[more.id].resize(t.beads);
      }
      seen[more.id][bead.id] = true;
      for (int k = 0; k < 3; ++k) {
        beads.x[bead.id][k] = at[k] + bead.x[k] / double{kCell};
        beads.half[bead.id][k] = bead.u[k] * velocity;
        beads.kick[bead.id][k] = more.x[k] * velocity;
      }
    }
    lost = std::ranges::any_of(
        seen, [](const auto& at) { return !std::ranges::all_of(at.second, std::identity()); });
  }
  static inline bool lost = false;

  static void report(const Options& options, const Input&, std::span<const Result> results,
                     Outcome& outcome) {
    const Terms t = terms(options);
    for (const Result& result : results) {
      if (result.failure == kCrowded) throw crowded(t, result.id, result.step);
      if (result.failure == kFast)
        throw polyloom::UserError(
            fmt::format("a bead goes further than a cell in step {} (in cell {}): --dt {:g} is too long for "
                        "these forces; give a "
                        "smaller one",
                        result.step, result.id, t.dt));
    }
    if (lost) throw polyloom::UserError("a bead is in no cell: a fault of the program");
    double mean_temperature = 0, mean_pressure = 0;
    RadialDistribution around(t.side);
    std::string thermo = "step,temperature,pressure\n", all = "step,bead,x,y,z,vx,vy,vz\n", rdf = "r,g\n";
    const bool wants_beads = !options.text("beads").empty(), wants_rdf = !options.text("rdf").empty();
    double hot = 0, pressed = 0;
    for (auto& [step, beads] : looks) {
      Beads again = beads;  // the forces' virial, which no bead knows
      hot = temperature(beads);
      pressed = pressure(t, beads, forces(t, again));
      mean_temperature += hot / static_cast<double>(looks.size());
      mean_pressure += pressed / static_cast<double>(looks.size());
      thermo += fmt::format("{},{:.9g},{:.9g}\n", step, hot, pressed);
      if (wants_rdf) around.add(beads);
      for (uint32_t i = 0; i < t.beads && wants_beads; ++i) {
        const Vector &x = beads.x[i], v = beads.v(i);
        all += fmt::format("{},{},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g},{:.12g}\n", step, i, x[0], x[1],
                           x[2], v[0], v[1], v[2]);
      }
    }
    for (std::size_t shell = 0; shell < around.size() && wants_rdf; ++shell)
      rdf += fmt::format("{:.4g},{:.9g}\n", around.radius(shell), around[shell]);
    const auto write = [&](const char* name, const std::string& text) {
      if (!options.text(name).empty()) polyloom::fabric::write_whole(options.text(name), text);
    };
    write("beads", all);
    write("thermo", thermo);
    write("rdf", rdf);
    const Vector sum = momentum(looks.rbegin()->second);
    outcome.facts = {{"beads", t.beads},
                     {"steps", steps(options)},
                     {"momentum", std::max({std::abs(sum[0]), std::abs(sum[1]), std::abs(sum[2])})},
                     {"temperature", hot},
                     {"pressure", pressed},
                     {"looks", looks.size()},
                     {"mean_temperature", mean_temperature},
                     {"mean_pressure", mean_pressure}};
  }

  /// The same beads moved by double precision for as many steps as chaos allows, and every look's forces.
  static void verify(const Options& options, const Input&, Outcome& outcome) {
    const Terms t = terms(options);
    const uint32_t followed = std::min(kFollowed, steps(options));
    Beads exact = at_start(t);
    forces(t, exact);
    while (exact.step < followed) advance(t, exact);
    polyloom::apps::Verification& check = outcome.verification;
    check.done = true;
    double worst_kick = 0, largest_kick = 0;
    const Beads& ours = looks.at(followed);
    for (uint32_t i = 0; i < t.beads; ++i)
      for (int k = 0; k < 3; ++k) {
        double way = ours.x[i][k] - exact.x[i][k];
        way -= t.side * std::round(way / t.side);
        check.l1 += std::abs(way);
        check.worst = std::max(check.worst, std::abs(way));
      }
    for (auto& [step, beads] : looks) {
      Beads again = beads;
      forces(t, again);
      for (uint32_t i = 0; i < t.beads; ++i)
        for (int k = 0; k < 3; ++k) {
          worst_kick = std::max(worst_kick, std::abs(again.kick[i][k] - beads.kick[i][k]));
          largest_kick = std::max(largest_kick, std::abs(again.kick[i][k]));
        }
    }
    check.ok = check.worst <= 1e-3 && worst_kick <= 1e-4 * largest_kick;
    check.criterion = fmt::format(
        "positions within 1e-3 of a double-precision run's after {} steps; forces at each look within 1e-4 "
        "of the "
        "largest, {:.1g} of it here",
        followed, largest_kick > 0 ? worst_kick / largest_kick : 0);
    check.covers = "the computation";
  }
#endif
};

}  // namespace dpd

POLYLOOM_PROGRAM(dpd::Dpd)
