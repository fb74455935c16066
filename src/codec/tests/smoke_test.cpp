#include <fairlead/codec/json.hpp>
#include <fairlead/codec/spec_codec.hpp>

#include <gtest/gtest.h>

namespace fairlead::codec {
namespace {

std::string problems(Errors const& errors) {
  std::string text;
  for (auto const& error : errors)
    text += std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + toText(error) + "\n";
  return text;
}

TEST(Smoke, ProductDocument) {
  auto const tree = parseYaml(R"(apiVersion: fairlead.io/v1
kind: Workload
metadata: {name: bert-pretrain, project: nlp, labels: {team: search}}
spec:
  class: training
  priority: normal
  roles:
    - name: worker
      count: 4
      devices: {any: [{model: h100, count: 8}, {model: ascend-910b, count: 16}]}
      cpus: 32
      memory: 512GiB
      images: {cuda: registry.example/bert:cuda, cann: registry.example/bert:cann}
      command: [torchrun, train.py]
  gang: all
  topology: {require: block, prefer: rack}
  timeLimit: 12h
  checkpoint: {path: ckpt/, valid: {marker: DONE}, signal: USR1, grace: 90s}
  retry: {limit: 5, on: [node-lost, preempted, "exit:75"]}
  outputs: [{name: model, path: out/model, kind: model, model: bert, metrics: out/metrics.json}]
)");
  ASSERT_TRUE(tree) << problems(tree.error());
  auto const document = decodeWorkload(*tree);
  ASSERT_TRUE(document) << problems(document.error());
  auto const json = workloadJson(*document);
  auto const again = decodeWorkloadJson(json);
  ASSERT_TRUE(again) << json << problems(again.error());
  EXPECT_EQ(*again, *document) << json;
  EXPECT_EQ(workloadJson(*again), json);
}

}  // namespace
}  // namespace fairlead::codec
