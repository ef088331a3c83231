// SPDX-License-Identifier: Apache-2.0
// NumPy arrays from and to the library's vectors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <string>
#include <vector>

#include "fabric/error.h"
#include "nbody/run/settings.h"
#include "nbody/run/simulation.h"
#include "nbody/tree/bodies.h"

namespace polyloom::nbody {

namespace nb = nanobind;

using Vectors = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ids = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes1 = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T, typename Array>
std::vector<T> copy_of(const Array& array, std::size_t count, const char* name) {
  if (array.shape(0) != count) {
    throw UserError(std::string(name) + " has " + std::to_string(array.shape(0)) + " elements; there are " +
                    std::to_string(count) + " bodies");
  }
  std::vector<T> values(count);
  if (count != 0) std::memcpy(static_cast<void*>(values.data()), array.data(), count * sizeof(T));
  return values;
}

/// A NumPy array that owns `values`.
template <typename T>
nb::object array_of(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if constexpr (std::is_same_v<T, Vec3>) {
    return nb::cast(
        nb::ndarray<nb::numpy, double, nb::shape<-1, 3>>(owned->data(), {owned->size(), 3}, owner));
  } else {
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
  }
}

/// The bytes of values that NumPy sees as structures.
template <typename T>
nb::object bytes_array(const T* values, std::size_t count) {
  std::vector<std::uint8_t> bytes(count * sizeof(T));
  if (count != 0) std::memcpy(bytes.data(), values, bytes.size());
  return array_of(std::move(bytes));
}

/// Settings from the dictionary that polyloom.nbody makes of its dataclass.
Settings settings_of(const nb::dict& values);

/// Arrays pos, vel, mass, id as bodies; forces zero.
Bodies bodies_of(const Vectors& pos, const Vectors& vel, const Values& mass, const Ids& id);

// What Python gets: plain dictionaries.
nb::dict dict_of(const Bodies& bodies);
nb::dict dict_of(const Diagnostics& values);
nb::dict dict_of(const ForceErrors& values);
/// Of one domain: seconds by phase since the start, and the last evaluation's counts.
nb::dict report_of(const Simulation& simulation);

void bind_trees(nb::module_& m);
#ifdef POLYLOOM_NBODY_HUB
void bind_hub(nb::module_& m);
#endif

}  // namespace polyloom::nbody
