// version and shell completion.
#include "commands.hpp"
#include "print.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>

namespace fairlead::cli {

namespace {

std::vector<std::string> subcommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_name().empty() && !sub->get_group().empty()) names.push_back(sub->get_name());
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> flagsOf(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

/// Made from the command line's own declarations, so it never falls behind.
std::string bashCompletion(const CLI::App& root) {
  std::string script = "_fairlead() {\n  local word=${COMP_WORDS[COMP_CWORD]} sub=${COMP_WORDS[1]}\n  case $sub in\n";
  for (const auto* sub : root.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_group().empty()) continue;
    script += fmt::format(
        "    {}) COMPREPLY=($(compgen -W \"{} {}\" -- \"$word\")); [ ${{#COMPREPLY[@]}} -gt 0 ] || "
        "COMPREPLY=($(compgen -f -- \"$word\")) ;;\n",
        sub->get_name(), joined(flagsOf(*sub)), joined(subcommandsOf(*sub)));
  }
  script += fmt::format(
      "    *) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")) ;;\n  esac\n}}\ncomplete -F _fairlead fairlead\n",
      joined(subcommandsOf(root)));
  return script;
}

Exit completion(const CLI::App& root, const std::string& shell) {
  const auto bash = bashCompletion(root);
  if (shell == "bash")
    print(bash);
  else if (shell == "zsh")
    print("autoload -U +X bashcompinit && bashcompinit\n" + bash);
  else
    throw Stop{Exit::usage, fmt::format("there is no completion for {} (there are bash and zsh)", shell)};
  return Exit::done;
}

Exit version(const Context& context, bool client) {
  boost::json::object answer{
      {"client", boost::json::object{{"version", FAIRLEAD_VERSION}, {"commit", FAIRLEAD_COMMIT}}}};
  if (!client) {
    try {
      answer["daemon"] = get(context, "/api/v1/version");
    } catch (const Stop& stop) {
      answer["daemon"] = boost::json::object{{"error", stop.message}};
    }
  }
  const boost::json::value whole(answer);
  if (printed(context, whole)) return Exit::done;
  print(fmt::format("fairlead {} ({})\n", FAIRLEAD_VERSION, FAIRLEAD_COMMIT));
  if (const auto* daemon = member(whole, "daemon")) {
    if (!text(*daemon, "error").empty())
      print("daemon: " + text(*daemon, "error") + "\n");
    else
      print(fmt::format("daemon {} ({}), {}\n", text(*daemon, "version"), text(*daemon, "commit"),
                        text(*daemon, "store")));
  }
  return Exit::done;
}

}  // namespace

void addHelp(CLI::App& app, Run& run) {
  auto shell = std::make_shared<std::string>();
  auto* completionCommand = app.add_subcommand("completion", "Shell completion: source <(fairlead completion bash)");
  completionCommand->add_option("shell", *shell, "bash or zsh")->required();
  completionCommand->callback(
      [&app, &run, shell] { run = [&app, shell](const Context&) { return completion(app, *shell); }; });

  auto client = std::make_shared<bool>(false);
  auto* versionCommand = app.add_subcommand("version", "Of this program and of the daemon");
  versionCommand->add_flag("--client", *client, "Only of this program");
  versionCommand->callback(
      [&run, client] { run = [client](const Context& context) { return version(context, *client); }; });
}

}  // namespace fairlead::cli
