// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "env/errors.h"

namespace fenceline {
namespace {

namespace fs = std::filesystem;

// 0, or the error.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  }
  return 0;
}

[[noreturn]] void cannot_write(const std::string& path, int error) {
  throw UsageError(fmt::format("{} cannot be written: {}", path, std::strerror(error)));
}

// Where symbolic links lead, also if there is nothing yet.
std::string target_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

// Not even for root.
bool read_only(const std::string& path, const struct stat& about) {
  return (about.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 || access(path.c_str(), W_OK) != 0;
}

TemporaryName name_beside(const std::string& target) {
  const fs::path path(target);
  return TemporaryName(
      (path.parent_path() / unique_name("." + path.filename().string().substr(0, 100) + ".fenceline-"))
          .string());
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(target_of(path_)) {
  struct stat about {};
  const bool exists = stat(target_.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(about.st_mode)) {
    file_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  if (exists && read_only(target_, about)) fail(EACCES);
  temporary_.emplace(name_beside(target_));
  file_ = open(temporary_->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) fail(errno);
  if (exists) static_cast<void>(fchmod(file_, about.st_mode & 07777));
}

OutputFile::~OutputFile() {
  if (file_ >= 0) close(file_);
  if (file_ >= 0 && temporary_) unlink(temporary_->path().c_str());
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      file_(std::exchange(other.file_, -1)) {}

void OutputFile::fail(int error) const { cannot_write(path_, error); }

void OutputFile::write(std::string_view text) {
  if (const int error = write_all(file_, text); error != 0) fail(error);
}

void OutputFile::publish() {
  if (close(std::exchange(file_, -1)) != 0) {
    const int error = errno;
    if (temporary_) unlink(temporary_->path().c_str());
    fail(error);
  }
  if (temporary_ && std::rename(temporary_->path().c_str(), target_.c_str()) != 0) {
    const int error = errno;
    unlink(temporary_->path().c_str());
    fail(error);
  }
}

StagedOutput::StagedOutput(std::string path) : path_(std::move(path)), target_(target_of(path_)) {
  struct stat about {};
  const bool exists = stat(target_.c_str(), &about) == 0;
  if (exists && S_ISDIR(about.st_mode)) cannot_write(path_, EISDIR);
  if (exists && S_ISREG(about.st_mode) && read_only(target_, about)) cannot_write(path_, EACCES);
  staged_ = target_;
  if (exists && !S_ISREG(about.st_mode)) return;
  folder_.emplace(name_beside(target_));
  if (mkdir(folder_->path().c_str(), 0777) != 0) cannot_write(path_, errno);
  staged_ = (fs::path(folder_->path()) / fs::path(target_).filename()).string();
}

StagedOutput::~StagedOutput() {
  std::error_code ignored;
  if (folder_) fs::remove_all(folder_->path(), ignored);
}

void StagedOutput::publish() {
  if (!folder_) return;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_->path(), error)) {
    const std::string target = target_ + entry.path().string().substr(staged_.size());
    if (std::rename(entry.path().c_str(), target.c_str()) != 0) cannot_write(target, errno);
  }
}

// A new file replaces the old one. If the file has other names (hard links) or another owner, the old one is
// overwritten instead, so that these stay; that the disk has room is known by then.
void replace_text(const std::string& path, std::string_view text) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  if (error) cannot_write(path, error.value());
  struct stat about {};
  if (stat(target.c_str(), &about) != 0) cannot_write(path, errno);
  if (read_only(target, about)) throw UsageError(fmt::format("{} cannot be written: it is read-only", path));
  const TemporaryName fresh = name_beside(target);
  const int file = open(fresh.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) cannot_write(path, errno);
  int failure = write_all(file, text);
  const bool same_owner = fchown(file, about.st_uid, about.st_gid) == 0;
  const bool same_mode = fchmod(file, about.st_mode & 07777) == 0;
  if (fsync(file) != 0 && failure == 0) failure = errno;
  if (close(file) != 0 && failure == 0) failure = errno;
  if (failure == 0 && about.st_nlink == 1 && same_owner && same_mode) {
    if (std::rename(fresh.path().c_str(), target.c_str()) == 0) return;
    failure = errno;
  } else if (failure == 0) {
    const int old = open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (old < 0 || (failure = write_all(old, text)) != 0 ||
        ftruncate(old, static_cast<off_t>(text.size())) != 0)
      failure = failure != 0 ? failure : errno;
    if (old >= 0) close(old);
  }
  unlink(fresh.path().c_str());
  if (failure != 0) cannot_write(path, failure);
}

}  // namespace fenceline
