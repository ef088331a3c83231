// SPDX-License-Identifier: Apache-2.0
#include "fabric/trace.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

constexpr std::string_view kClosing = "\n]}\n";
constexpr std::size_t kBufferBytes = 32 << 10;

void append_json(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned char>(c));
      out += code;
    } else {
      out += c;
    }
  }
}

/// Picoseconds as microseconds, exactly.
void append_micros(std::string& out, Time t) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%06lld", static_cast<long long>(t / 1'000'000),
                static_cast<long long>(t % 1'000'000));
  out += text;
}

}  // namespace

TraceFile::TraceFile(std::string path, std::uint64_t max_bytes)
    : path_(std::move(path)), max_bytes_(max_bytes) {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0) {
    throw UserError("cannot write the trace " + path_ + ": " + std::strerror(errno) +
                    "; name a file in a folder that exists and may be written");
  }
  write_at_end(R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","name":"process_name","pid":0,"args":{"name":"links"}})");
}

TraceFile::~TraceFile() {
  if (fd_ >= 0) ::close(fd_);
}

void TraceFile::write_at_end(std::string_view text) {
  const std::string whole = std::string(text) + std::string(kClosing);
  std::size_t done = 0;
  while (done < whole.size()) {
    const ssize_t n =
        ::pwrite(fd_, whole.data() + done, whole.size() - done, static_cast<off_t>(size_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int why = n < 0 ? errno : ENOSPC;
      // What stood behind size_ fitted before, so it fits again.
      [[maybe_unused]] int ignored = ::ftruncate(fd_, static_cast<off_t>(size_));
      [[maybe_unused]] ssize_t written =
          ::pwrite(fd_, kClosing.data(), kClosing.size(), static_cast<off_t>(size_));
      throw UserError("cannot write the trace " + path_ + ": " + std::strerror(why) +
                      "; free some space or trace to another disk");
    }
    done += static_cast<std::size_t>(n);
  }
  size_ += text.size();
}

void TraceFile::append(std::string_view text, std::uint64_t events) {
  const std::lock_guard lock(mutex_);
  if (fd_ < 0 || left_out_ != 0 || size_ + text.size() + kClosing.size() > max_bytes_) {
    left_out_ += events;
    return;
  }
  write_at_end(text);
}

void TraceFile::finish() {
  const std::lock_guard lock(mutex_);
  if (fd_ < 0) return;
  if (left_out_ != 0) {
    write_at_end(",\n{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":0,\"args\":{\"labels\":\"" +
                 std::to_string(left_out_) + " events left out: the trace reached its size limit\"}}");
  }
  ::close(std::exchange(fd_, -1));
}

TraceTrack::TraceTrack(TraceFile& file, unsigned pid, std::string_view name) : file_(file), pid_(pid) {
  if (name.empty()) return;
  begin('M', "process_name", 0);
  buffer_ += ",\"args\":{\"name\":\"";
  append_json(buffer_, name);
  buffer_ += "\"}";
  end();
}

void TraceTrack::begin(char phase, std::string_view what, unsigned lane) {
  buffer_ += ",\n{\"ph\":\"";
  buffer_ += phase;
  buffer_ += "\",\"name\":\"";
  append_json(buffer_, what);
  buffer_ += "\",\"pid\":" + std::to_string(pid_) + ",\"tid\":" + std::to_string(lane);
}

void TraceTrack::end() {
  buffer_ += '}';
  ++events_;
  if (buffer_.size() >= kBufferBytes) flush();
}

void TraceTrack::complete(std::string_view what, Time from, Time to, unsigned lane) {
  begin('X', what, lane);
  buffer_ += ",\"ts\":";
  append_micros(buffer_, from);
  buffer_ += ",\"dur\":";
  append_micros(buffer_, std::max<Time>(to - from, 0));
  end();
}

void TraceTrack::instant(std::string_view what, Time at, unsigned lane) {
  begin('i', what, lane);
  buffer_ += ",\"s\":\"t\",\"ts\":";
  append_micros(buffer_, at);
  end();
}

void TraceTrack::counter(std::string_view what, Time at, double value) {
  begin('C', what, 0);
  buffer_ += ",\"ts\":";
  append_micros(buffer_, at);
  char text[64];
  std::snprintf(text, sizeof text, ",\"args\":{\"value\":%.15g}", value);
  buffer_ += text;
  end();
}

void TraceTrack::name_lane(unsigned lane, std::string_view name) {
  begin('M', "thread_name", lane);
  buffer_ += ",\"args\":{\"name\":\"";
  append_json(buffer_, name);
  buffer_ += "\"}";
  end();
}

void TraceTrack::flush() {
  if (buffer_.empty()) return;
  const std::string text = std::exchange(buffer_, {});
  file_.append(text, std::exchange(events_, 0));
}

LinkTrace::LinkTrace(TraceFile& file, unsigned pid, std::string name, Time bucket)
    : track_(file, pid, ""), name_(std::move(name) + " busy %"), bucket_(std::max<Time>(bucket, 1)) {}

void LinkTrace::close_bucket() {
  const Time share = busy_ * 10'000 / bucket_;  // hundredths of a per cent
  if (share != last_share_) {
    track_.counter(name_, index_ * bucket_, static_cast<double>(share) / 100);
    last_share_ = share;
  }
  ++index_;
  busy_ = 0;
}

void LinkTrace::busy(Time from, Time to) {
  while (from < to) {
    const Time index = from / bucket_;
    if (index != index_) {
      close_bucket();
      if (index != index_) close_bucket();  // the first idle bucket; the rest of the gap looks the same
      index_ = index;
    }
    const Time stop = std::min(to, (index + 1) * bucket_);
    busy_ += stop - from;
    from = stop;
  }
}

void LinkTrace::flush() {
  close_bucket();
  close_bucket();
  track_.flush();
}

Trace::Trace(std::string path, TraceOptions options)
    : options_(options), file_(std::move(path), options.max_bytes) {}

TraceTrack* Trace::add_track(std::string_view name) {
  tracks_.push_back(std::make_unique<TraceTrack>(file_, next_pid_++, name));
  return tracks_.back().get();
}

LinkTrace* Trace::add_link(std::string name) {
  links_.push_back(std::make_unique<LinkTrace>(file_, 0, std::move(name), options_.bucket));
  return links_.back().get();
}

void Trace::close() {
  if (std::exchange(closed_, true)) return;
  for (const auto& track : tracks_) track->flush();
  for (const auto& link : links_) link->flush();
  file_.finish();
}

Trace::~Trace() {
  try {
    close();
  } catch (const UserError&) {
    // The file is valid up to what fitted; close() tells the caller.
  }
}

}  // namespace polyloom::fabric
