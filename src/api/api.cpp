#include "service.hpp"

#include <fairlead/api/api.hpp>

namespace fairlead::api {

Api::Api(ApiDependencies dependencies) : service_(std::make_unique<Service>(std::move(dependencies))) {}
Api::~Api() = default;

net::Handler Api::handler() {
  return [service = service_.get()](net::Request&& request, net::Responder responder) {
    service->handle(std::move(request), std::move(responder));
  };
}

void Api::closeStreams() { service_->closeStreams(); }
void Api::stop() { service_->stop(); }

}  // namespace fairlead::api
