/// \file
/// Eigen's side of the table: one row-major matrix, one thread (Eigen runs only matrix products in parallel).
#include <cstdint>

// g++ 12 warns of its own AVX-512 intrinsics when they are inlined (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <Eigen/Core>

using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using view = Eigen::Map<const matrix>;
using row = Eigen::Map<Eigen::RowVectorXd>;
using column = Eigen::Map<Eigen::VectorXd>;

extern "C" {

void eigen_mean0(const double* p, std::int64_t n, double* out) { row(out, n) = view(p, n, n).colwise().mean(); }
void eigen_mean1(const double* p, std::int64_t n, double* out) { column(out, n) = view(p, n, n).rowwise().mean(); }
void eigen_mean(const double* p, std::int64_t n, double* out) { *out = view(p, n, n).mean(); }
void eigen_max(const double* p, std::int64_t n, double* out) { *out = view(p, n, n).maxCoeff(); }

void eigen_var(const double* p, std::int64_t n, double* out) {
  const view x(p, n, n);
  const Eigen::RowVectorXd mean = x.colwise().mean();
  row(out, n) = (x.rowwise() - mean).array().square().colwise().sum() / static_cast<double>(n);
}

void eigen_chain(const double* p, std::int64_t n, double* out) {
  const auto x = view(p, n, n).array();
  *out = (((x - 10.0) / 0.1).abs().sqrt() + x.sin()).mean();
}

void eigen_zscore(const double* p, std::int64_t n, double* sample) {
  const view x(p, n, n);
  const Eigen::RowVectorXd mean = x.colwise().mean();
  const Eigen::RowVectorXd std =
      ((x.rowwise() - mean).array().square().colwise().sum() / static_cast<double>(n)).sqrt();
  const matrix z = (x.rowwise() - mean).array().rowwise() / std.array();
  row(sample, n) = z.row(0);
}
}
