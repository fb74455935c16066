#include <fairlead/audit/errors.hpp>
#include <fairlead/audit/signer.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>

namespace fairlead::audit {
namespace {

namespace fs = std::filesystem;

static_assert(!std::is_copy_constructible_v<Signer> && !std::is_copy_assignable_v<Signer>);
static_assert(std::is_nothrow_move_constructible_v<Signer>);

class KeyFile : public ::testing::Test {
 protected:
  KeyFile() {
    std::string pattern = (fs::temp_directory_path() / "fairlead-audit-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~KeyFile() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name = "audit.key") const { return (folder_ / name).string(); }

  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& content, mode_t mode = 0600) const {
    std::ofstream(path(), std::ios::binary) << content;
    ASSERT_EQ(::chmod(path().c_str(), mode), 0);
  }
  [[nodiscard]] std::string loadToken() const {
    const auto signer = Signer::load(path());
    return signer ? "loaded" : std::string(signer.error().token());
  }

  fs::path folder_;
};

TEST_F(KeyFile, isMadeClosedToOthersAndSignsLikeTheSignerThatMadeIt) {
  const auto made = Signer::createKeyFile(path());
  ASSERT_TRUE(made) << made.error().message;
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  const auto loaded = Signer::load(path());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->keyId(), made->keyId());
  EXPECT_EQ(loaded->publicKeyPem(), made->publicKeyPem());
  EXPECT_EQ(loaded->sign(3, {5}, Digest{9}).signature, made->sign(3, {5}, Digest{9}).signature);
}

TEST_F(KeyFile, isNeverReplaced) {
  ASSERT_TRUE(Signer::createKeyFile(path()));
  const auto before = read(path());
  const auto again = Signer::createKeyFile(path());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, &kKeyExists);
  EXPECT_EQ(read(path()), before);
}

TEST_F(KeyFile, missingIsAnErrorAndMakesNone) {
  EXPECT_EQ(loadToken(), "audit/key-missing");
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(KeyFile, openToOthersIsRefused) {
  ASSERT_TRUE(Signer::createKeyFile(path()));
  for (const mode_t mode : {0640U, 0604U, 0620U, 0601U, 0666U}) {
    ASSERT_EQ(::chmod(path().c_str(), mode), 0);
    EXPECT_EQ(loadToken(), "audit/key-unsafe") << mode;
  }
  ASSERT_EQ(::chmod(path().c_str(), 0400), 0);
  EXPECT_EQ(loadToken(), "loaded");
}

TEST_F(KeyFile, linksFoldersAndPipesAreRefused) {
  ASSERT_TRUE(Signer::createKeyFile(path("real")));
  fs::create_symlink(path("real"), path());
  EXPECT_EQ(loadToken(), "audit/key-not-read");
  fs::remove(path());
  fs::create_directory(path());
  EXPECT_EQ(loadToken(), "audit/key-unsafe");
  fs::remove(path());
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(loadToken(), "audit/key-unsafe");
}

TEST_F(KeyFile, wrongContentIsRefusedWithoutShowingIt) {
  ASSERT_TRUE(Signer::createKeyFile(path("good")));
  const auto pem = read(path("good"));
  const std::string body = pem.substr(28, 40);
  for (const auto& content :
       {std::string(), std::string("nonsense"), pem.substr(0, pem.size() / 2), Signer::generate().publicKeyPem(),
        std::string("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"),
        std::string(20'000, 'A') + pem}) {
    write(content);
    const auto signer = Signer::load(path());
    ASSERT_FALSE(signer);
    EXPECT_EQ(signer.error().code, &kKeyInvalid);
    EXPECT_EQ(toText(signer.error()).find(body), std::string::npos);
  }
}

TEST_F(KeyFile, cannotBeMadeWhereThereIsNoFolder) {
  const auto made = Signer::createKeyFile(path("no/such/audit.key"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, &kKeyNotWritten);
}

TEST(Verifier, acceptsWhatWasSignedAndNothingElse) {
  const auto signer = Signer::generate();
  Verifier verifier;
  ASSERT_EQ(verifier.add(signer.publicKeyPem()).value(), signer.keyId());
  const auto good = signer.sign(42, {1'000}, Digest{1, 2, 3});
  EXPECT_EQ(verifier.check(good), SignatureCheck::valid);
  EXPECT_EQ(good.signature.size(), 64U);
  const auto bad = [&](auto change) {
    auto checkpoint = good;
    change(checkpoint);
    return verifier.check(checkpoint);
  };
  EXPECT_EQ(bad([](auto& c) { ++c.sequence; }), SignatureCheck::badSignature);
  EXPECT_EQ(bad([](auto& c) { ++c.at.msSinceEpoch; }), SignatureCheck::badSignature);
  EXPECT_EQ(bad([](auto& c) { c.hash[31] ^= 1; }), SignatureCheck::badSignature);
  EXPECT_EQ(bad([](auto& c) { c.signature[0] ^= 1; }), SignatureCheck::badSignature);
  EXPECT_EQ(bad([](auto& c) { c.signature.pop_back(); }), SignatureCheck::badSignature);
  EXPECT_EQ(bad([](auto& c) { c.signature.clear(); }), SignatureCheck::badSignature);
  EXPECT_EQ(bad([](auto& c) { c.keyId = "ed25519-0"; }), SignatureCheck::unknownKey);
}

TEST(Verifier, knowsSeveralKeysAndAnotherKeyDoesNotSignForThem) {
  const auto oldKey = Signer::generate();
  const auto newKey = Signer::generate();
  Verifier verifier;
  ASSERT_TRUE(verifier.add(oldKey.publicKeyPem()));
  EXPECT_EQ(verifier.check(newKey.sign(1, {}, {})), SignatureCheck::unknownKey);
  ASSERT_TRUE(verifier.add(newKey.publicKeyPem()));
  EXPECT_EQ(verifier.check(newKey.sign(1, {}, {})), SignatureCheck::valid);
  auto forged = newKey.sign(1, {}, {});
  forged.keyId = oldKey.keyId();
  EXPECT_EQ(verifier.check(forged), SignatureCheck::badSignature);
}

TEST(Verifier, refusesWhatIsNoPublicEd25519Key) {
  Verifier verifier;
  for (const char* pem :
       {"", "hello", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt\n"
        "6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==\n-----END PUBLIC KEY-----\n"}) {
    const auto added = verifier.add(pem);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().code, &kKeyInvalid);
  }
  EXPECT_TRUE(verifier.empty());
}

}  // namespace
}  // namespace fairlead::audit
