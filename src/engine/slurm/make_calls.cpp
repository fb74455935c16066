#include "slurm/make_calls.hpp"

#include "slurm/command_calls.hpp"
#include "slurm/rest_calls.hpp"

#include <fairlead/engine/errors.hpp>

namespace fairlead::engine::slurm {

Result<std::unique_ptr<SlurmCalls>> makeCalls(const SlurmOptions& options) {
  if (options.endpoint.empty())
    return std::make_unique<CommandCalls>(CommandOptions{options.programs, options.slurmConf, options.callsAtOnce,
                                                         options.callTimeout, options.answerLimit});
  RestOptions rest;
  rest.endpoint = options.endpoint;
  rest.caFile = options.caFile;
  rest.clientCertificate = options.clientCertificate;
  rest.clientKey = options.clientKey;
  rest.reader = options.reader;
  rest.token.command = options.tokenCommand;
  rest.token.environment = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin", "LC_ALL=C"};
  if (!options.slurmConf.empty()) rest.token.environment.push_back("SLURM_CONF=" + options.slurmConf);
  rest.token.file = options.tokenFile;
  rest.token.lifespan = options.tokenLifespan;
  rest.callsAtOnce = options.callsAtOnce;
  rest.timeout = options.callTimeout;
  rest.answerLimit = options.answerLimit;
  if (options.tokenLifespan.count < 60'000)
    return fail(kSlurmOptions, "tokenLifespan is under a minute", "give tokens a life of some minutes at least");
  auto calls = std::make_unique<RestCalls>(std::move(rest));
  if (auto usable = calls->check(); !usable) return tl::unexpected(usable.error());
  return calls;
}

}  // namespace fairlead::engine::slurm
