// SPDX-License-Identifier: Apache-2.0
#include "apps/common/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>

#include "apps/include/polyloom/program.h"
#include "fabric/cluster/suggest.h"
#include "fabric/command_line.h"
#include "fabric/error.h"
#include "fabric/run/folder.h"
#include "polite/native/peers.h"
#include "polite/read_graph.h"

namespace polyloom::apps {
namespace {

/// A range lets "nan" through: it is below nothing.
std::string is_number(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? text + " is no number" : "";
}

std::string is_given(const std::string& text) { return text.empty() ? "the name of a file is missing" : ""; }

/// --verify reads the file a second time.
void check_verify(const Options& o) {
  std::error_code none;
  const bool there = std::filesystem::exists(o.graph, none);
  const bool piped = there && !std::filesystem::is_regular_file(o.graph, none) &&
                     !std::filesystem::is_directory(o.graph, none);
  if (piped || o.graph == polite::kStandardInput)
    throw UserError(
        "--verify reads the graph a second time, and " +
        (piped ? o.graph + " is a pipe or a device, which gives it once" : "standard input gives it once") +
        "; give a file, or leave --verify out");
}

/// An option that names a file.
struct Named {
  std::string option, file;
};

bool same_file(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (fs::exists(one, none) && !fs::is_regular_file(one, none)) return false;  // a pipe, a device
  return fs::equivalent(one, other, none) || fs::weakly_canonical(fs::absolute(one, none), none) ==
                                                 fs::weakly_canonical(fs::absolute(other, none), none);
}

/// Whether a file can be written there is said before the work; values may go to .npy, too.
void check_output(const Named& output, bool values) {
  const auto& [option, file] = output;
  namespace fs = std::filesystem;
  const fs::path out(file);
  const auto refuse = [&](const std::string& why) { throw UserError(option + " " + file + ": " + why); };
  std::error_code none;
  if (fs::is_directory(out, none)) refuse("is a folder; give a file in it");
  const std::string ending = out.extension().string();
  const bool plain = fs::exists(out, none) && !fs::is_regular_file(out, none);  // a pipe, a device
  if (!plain && !ending.empty() && ending != ".csv" && ending != ".txt" && !(values && ending == ".npy"))
    refuse(values ? "values are written as CSV (.csv, .txt) or as NumPy's .npy"
                  : "what happens is written as CSV (.csv, .txt)");
  const fs::path folder = fs::absolute(out).parent_path();
  if (!fs::is_directory(folder, none)) refuse("there is no folder " + folder.string());
  if (!plain && ::access(folder.c_str(), W_OK) != 0)
    refuse("cannot write in " + folder.string() + ": " + std::strerror(errno));
  const char* record = std::getenv("POLYLOOM_RUN_DIR");
  if (record != nullptr && fs::equivalent(folder, record, none))
    refuse("lies in the run's own folder, whose files are the record; give another place");
}

/// All files that the command line names.
void check_files(const Options& o, std::span<const Text> texts) {
  std::vector<Named> read, written;
  if (!o.graph.empty()) read.push_back({"--graph", o.converted.empty() ? o.graph : o.converted[1]});
  if (!o.out.empty()) written.push_back({"--out", o.out});
  for (const Text& text : texts) {
    if (text.file == File::none || o.text(text.name).empty()) continue;
    (text.file == File::read ? read : written).push_back({std::string("--") + text.name, o.text(text.name)});
  }
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto& [option, file] = written[i];
    check_output(written[i], option == "--out");
    const auto refuse = [&](const std::string& why) {
      throw UserError(option + " " + file + ": " + why + "; give another file");
    };
    for (const Named& input : read)
      if (same_file(file, input.file))
        refuse(input.option == "--graph" ? "is the graph that is read"
                                         : "is the file that " + input.option + " reads");
    for (std::size_t k = 0; k < i; ++k)
      if (same_file(file, written[k].file)) refuse(written[k].option + " writes there");
  }
}

/// An option that says what an environment variable says otherwise.
template <typename Value>
void add_named(CLI::App& cli, const char* option, const char* variable,
               std::span<const std::pair<const char*, std::type_identity_t<Value>>> known, Value& value,
               const char* help) {
  const std::map<std::string, Value> names(known.begin(), known.end());
  const auto set = [=, &value](const std::string& name) {
    value = names.at(name);
    ::unsetenv(variable);  // what the command line says comes first
  };
  cli.add_option_function<std::string>(option, set, help)->check(CLI::IsMember(names));
}

void add_parameter(CLI::App& cli, const Parameter& parameter, Options& o) {
  const std::string name = parameter.name;
  o.parameters[name] = parameter.value;
  const bool whole = parameter.whole && parameter.value == std::floor(parameter.value);
  const CLI::Range range = whole ? CLI::Range(static_cast<std::uint32_t>(parameter.least),
                                              static_cast<std::uint32_t>(parameter.most))
                                 : CLI::Range(parameter.least, parameter.most);
  const std::string unlimited = parameter.unlimited != nullptr ? parameter.unlimited : "";
  const auto is_unlimited = [unlimited](const std::string& text) {
    return !unlimited.empty() && text == unlimited;
  };
  const auto check = [=](std::string text) {
    if (is_unlimited(text)) return std::string();
    const std::string problem = is_number(text);
    return problem.empty() ? range(text) : problem;
  };
  const auto set = [=, &o](const std::string& text) {
    o.parameters[name] = is_unlimited(text) ? HUGE_VAL : std::strtod(text.c_str(), nullptr);
    o.given.insert(name);
  };
  cli.add_option_function<std::string>("--" + name, set, parameter.help)
      ->type_name((whole ? "UINT" : "FLOAT") + (unlimited.empty() ? "" : "|" + unlimited))
      ->check(CLI::Validator(check, range.get_description(), ""))
      ->default_str(fmt::format("{}", parameter.value));
}

void add_text(CLI::App& cli, const Text& text, Options& o) {
  const std::string name = text.name;
  o.texts[name] = text.value;
  const auto set = [&o, name](const std::string& value) {
    o.texts[name] = value;
    o.given.insert(name);
  };
  auto* const option = cli.add_option_function<std::string>("--" + name, set, text.help);
  if (text.choices.empty()) {
    option->check(CLI::Validator(is_given, "", ""));
  } else {
    option->check(CLI::IsMember(std::vector<std::string>(text.choices.begin(), text.choices.end())))
        ->default_str(text.value);
  }
}

void add_mapping(CLI::App& cli, const Description& program, Options& o) {
  if (program.has_combiner)
    add_named(cli, "--combine", "POLITE_COMBINE", polite::kCombineNames, o.combine,
              "Merge messages to vertices with many in-edges on their way: auto (where it pays), on, off");
  add_named(
      cli, "--pins", "POLITE_PINS", polite::kPinsNames, o.pins,
      "How a vertex's message goes to many: unicast (to each thread), local (to each mailbox, for many of "
      "its threads), distributed (once, and routers multiply it if it leaves its board), auto (what is "
      "quickest)");
  cli.add_flag("--explain", o.explain,
               "Tell which vertices are heard by partial receivers, how messages go, and what it costs");
}

void add_output(CLI::App& cli, Options& o) {
  cli.add_flag("--verify", o.verify, "Compare with an independent computation");
  cli.add_option("--out", o.out,
                 "Write vertex,value for every vertex, named as in the file: CSV, or FILE.npy")
      ->check(CLI::Validator(is_given, "", ""));
  cli.add_option("--rows", o.rows)->group("");  // of polyloom/graphs
  cli.add_flag("--json", o.json, "One JSON object on standard output");
  cli.add_option("--top", o.top, "How many vertices to print")
      ->check(fabric::not_negative)
      ->capture_default_str();
}

/// Ends the program if something was given that no option takes.
void refuse_extras(const CLI::App& cli) {
  const std::vector<std::string> extras = cli.remaining();
  if (extras.empty()) return;
  std::vector<std::string> known;
  for (const CLI::Option* option : cli.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  std::string message = "not expected:", hint;
  for (const std::string& extra : extras) {
    message += " " + extra;
    const std::string name = extra.substr(0, extra.find('='));
    const std::string near = extra.starts_with("-") ? fabric::nearest(name, known) : "";
    if (!near.empty()) hint += (hint.empty() ? "; did you mean " : ", ") + near;
  }
  throw CLI::ParseError(message + hint + (hint.empty() ? "" : "?"), CLI::ExitCodes::ExtrasError);
}

}  // namespace

void add_graph_options(CLI::App& cli, Options& o) {
  auto* graph = cli.add_option(
      "--graph", o.graph,
      "Graph file, - for standard input: edge list, CSV, Matrix Market, DIMACS, METIS; packed (gzip, bzip2, "
      "xz, zstd, lz4) too");
  auto* generate = cli.add_option(
      "--generate", o.generate,
      "Made graph: geometric:VERTICES:DEGREE[:RADIUS], kronecker:SCALE:EDGEFACTOR, "
      "uniform:VERTICES:DEGREE, grid:WIDTH:HEIGHT, cube:WIDTH:HEIGHT:DEPTH (periodic), debian (this "
      "machine's packages)");
  graph->excludes(generate);
  cli.add_option("--format", o.format, "Format of the file, if its name and content do not tell")
      ->needs(graph);
  cli.add_option(
         "--columns", o.columns,
         "Columns of a table with a header (CSV): SOURCE,TARGET[,WEIGHT], where they have other names")
      ->needs(graph)
      ->check(CLI::Validator(
          [](const std::string& text) { return text.empty() ? "names of columns are missing" : ""; }, "",
          ""));
  constexpr int kMostNotes = 8;
  cli.add_option("--converted", o.converted)
      ->needs(graph)
      ->expected(2, 2 + kMostNotes)
      ->group("");  // of graph_files.py
  cli.add_option("--graph-seed", o.graph_seed, "Seed of a made graph and of drawn weights (default 1)")
      ->check(fabric::not_negative);
  const auto renumber = [] {
    throw CLI::ValidationError("--renumber",
                               "is no longer needed: leave it out. The vertices of an edge list are "
                               "the ids that occur, and keep their names");
  };
  cli.add_flag_callback("--renumber", renumber)->group("");  // not in the help
  cli.add_flag("--undirected", o.undirected,
               "Add the reverse of every edge but loops, where the file's format does not give it");
  cli.add_flag("--simple", o.simple,
               "Drop loops and duplicate edges, after --undirected; of their weights the least stays");
}

Options parse_options(int argc, char** argv, const Description& program) {
  Options o;
  o.app = program.name;
  CLI::App cli{program.purpose, "polyloom run " + program.name};
  if (!program.makes_graph) add_graph_options(cli, o);
  for (const Parameter& parameter : program.parameters) {
    if (cli.get_option_no_throw("--" + std::string(parameter.name)) != nullptr)
      throw UserError(program.name + ": parameter \"" + parameter.name + "\": all programs have --" +
                      parameter.name + "; give it another name");
    add_parameter(cli, parameter, o);
  }
  for (const Text& text : program.texts) add_text(cli, text, o);
  for (const Flag& flag : program.flags)
    cli.add_flag_callback(
        std::string("--") + flag.name, [&o, flag] { o.given.insert(flag.name); }, flag.help);
  if (program.takes_source)
    cli.add_option("--source", o.source,
                   "Vertex to start from, by the file's id or name (default: the first)");
  if (program.takes_weights && !program.signed_weights) {
    cli.add_option("--max-weight", o.max_weight, "Draw weights 1..N where the file has none (else all are 1)")
        ->check(CLI::Range(0u, 1u << 20));
  }
  add_mapping(cli, program, o);
  if (!program.modes.empty()) {
    o.mode = program.modes.front();
    cli.add_option("--mode", o.mode, "How to compute it")
        ->check(CLI::IsMember(program.modes))
        ->capture_default_str();
  }
  add_output(cli, o);
  cli.allow_extras();  // so that we can say what was meant instead
  cli.failure_message(fabric::command_line_error);
  try {
    cli.parse(argc, argv);
    refuse_extras(cli);
    if (!program.makes_graph && o.graph.empty() && o.generate.empty())
      throw CLI::RequiredError("--graph FILE or --generate KIND");
  } catch (const CLI::ParseError& error) {
    const int status = cli.exit(error);
    std::exit(status == 0 ? 0 : 2);
  }
  // `polyloom run --seed`, which has checked it.
  if (const char* seed = std::getenv("POLYLOOM_SEED"); seed != nullptr)
    o.seed = std::strtoull(seed, nullptr, 10);
  if (polite::is_first_process()) check_files(o, program.texts);
  if (o.verify && !program.has_reference)
    throw UserError("--verify: " + program.name +
                    " has nothing to compare with; --verify-with FILE.py compares with a function of yours");
  if (o.verify) check_verify(o);
  if (const char* seed = std::getenv("POLYLOOM_SEED"); program.draws && seed != nullptr)
    o.seed = std::strtoull(seed, nullptr, 10);
  // The record goes there.
  if (const char* folder = std::getenv("POLYLOOM_RUN_DIR"); folder != nullptr && *folder != 0)
    fabric::RunFolder::check(folder, fabric::RunFolder::Use::add);
  return o;
}

}  // namespace polyloom::apps

double polyloom::apps::Options::parameter(std::string_view name) const {
  const auto found = parameters.find(name);
  if (found != parameters.end()) return found->second;
  throw UserError(app + ": the program asks for parameter \"" + std::string(name) +
                  "\", which its `parameters` do not list");
}

double polyloom::Start::parameter(const char* name) const { return options.parameter(name); }
