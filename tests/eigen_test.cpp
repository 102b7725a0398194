#include <ashlar/eigen.hpp>

#include <doctest/doctest.h>

using ashlar::array_equal;
using ashlar::as_eigen;
using ashlar::copy_from_eigen;
using ashlar::from_eigen;
using ashlar::ndarray;
using ashlar::shape;
using ashlar::shape_error;
using ashlar::strides;
using ashlar::value_error;

namespace {

template <class M>
concept viewable = requires(M&& matrix) { from_eigen(std::forward<M>(matrix)); };

using sum = decltype(Eigen::MatrixXd() + Eigen::MatrixXd());

static_assert(viewable<Eigen::MatrixXd&> && viewable<const Eigen::MatrixXd&> && viewable<Eigen::MatrixXd>);
static_assert(viewable<Eigen::Map<Eigen::ArrayXf>&>);
static_assert(!viewable<sum> && !viewable<sum&> && !viewable<const Eigen::MatrixXd>);

template <class M>
M counting(Eigen::Index rows, Eigen::Index cols) {
  M m(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < cols; ++j) m(i, j) = static_cast<typename M::Scalar>(10 * i + j);
  }
  return m;
}

using row_major_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

const auto expected = ndarray<double>::from({{0, 1, 2}, {10, 11, 12}});

}  // namespace

TEST_CASE_TEMPLATE("from_eigen views matrices of either storage order", M, Eigen::MatrixXd, row_major_matrix,
                   Eigen::ArrayXXd, Eigen::Matrix<double, 2, 3>) {
  M m = counting<M>(2, 3);
  const auto a = from_eigen(m);
  CHECK(a.data() == m.data());
  CHECK(array_equal(a, expected));
  a(1, 2) = 7;
  CHECK(m(1, 2) == 7);
}

TEST_CASE("from_eigen gives a 1-d array for vectors") {
  Eigen::VectorXf column(3);
  column << 1, 2, 3;
  Eigen::RowVectorXf row = column.transpose();
  CHECK(array_equal(from_eigen(column), ndarray<float>::from({1, 2, 3})));
  CHECK(array_equal(from_eigen(row), ndarray<float>::from({1, 2, 3})));
}

TEST_CASE("from_eigen follows the strides of Map, Block and Ref") {
  Eigen::MatrixXd m = counting<Eigen::MatrixXd>(4, 6);
  auto block = m.block(1, 2, 2, 3);
  CHECK(array_equal(from_eigen(block), ndarray<double>::from({{12, 13, 14}, {22, 23, 24}})));
  auto row = m.row(1);
  CHECK(from_eigen(row).strides() == strides{4});
  CHECK(array_equal(from_eigen(row), ndarray<double>::from({10, 11, 12, 13, 14, 15})));
  auto transposed = m.transpose();
  CHECK(array_equal(from_eigen(transposed), from_eigen(m).transpose()));
  const Eigen::Ref<const Eigen::MatrixXd> ref(block);
  CHECK(array_equal(from_eigen(ref), from_eigen(block)));
  Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<>> every_second(m.data(), 3, Eigen::InnerStride<>(2));
  CHECK(array_equal(from_eigen(every_second), ndarray<double>::from({0, 20, 1})));
}

TEST_CASE("from_eigen takes over a temporary matrix") {
  Eigen::MatrixXd m = counting<Eigen::MatrixXd>(2, 3);
  const double* const data = m.data();
  const auto a = from_eigen(std::move(m));
  CHECK(a.data() == data);
  CHECK(array_equal(a, expected));
  CHECK(a.owner().use_count() == 1);
  const auto small = from_eigen(Eigen::Matrix2d(Eigen::Matrix2d::Identity()));
  CHECK(array_equal(small, ndarray<double>::from({{1, 0}, {0, 1}})));
}

TEST_CASE("copy_from_eigen evaluates expressions into row-major memory") {
  const Eigen::MatrixXd m = counting<Eigen::MatrixXd>(2, 3);
  const auto doubled = copy_from_eigen(2 * m);
  CHECK(doubled.is_c_contiguous());
  CHECK(array_equal(doubled, ndarray<double>::from({{0, 2, 4}, {20, 22, 24}})));
  CHECK(array_equal(copy_from_eigen(m.array() + 1), ndarray<double>::from({{1, 2, 3}, {11, 12, 13}})));
  CHECK(array_equal(copy_from_eigen(m.row(1)), ndarray<double>::from({10, 11, 12})));
}

TEST_CASE("as_eigen maps strided arrays and shares their elements") {
  const auto a = expected.copy();
  CHECK(as_eigen(a)(1, 2) == 12);
  as_eigen(a)(0, 0) = 5;
  CHECK(a(0, 0) == 5);
  const auto view = a.transpose().slice(0, 0, 3, 2);
  const Eigen::MatrixXd m = as_eigen(view);
  CHECK(array_equal(from_eigen(m), ndarray<double>::from({{5, 10}, {2, 12}})));
  const auto v = ndarray<double>::from({3, 4});
  CHECK(as_eigen(v).col(0).norm() == 5);
}

TEST_CASE("as_eigen refuses what Eigen cannot map") {
  CHECK_THROWS_WITH_AS(as_eigen(ndarray<double>(shape{2, 2, 2})),
                       "as_eigen: an array of shape (2, 2, 2) has 3 axes; Eigen holds 1 or 2", shape_error);
  CHECK_THROWS_AS(as_eigen(expected.slice(1, 2, -1, -1)), value_error);
}

TEST_CASE("empty matrices and arrays go both ways") {
  Eigen::MatrixXd m(0, 3);
  CHECK(from_eigen(m).shape() == shape{0, 3});
  CHECK(copy_from_eigen(m).shape() == shape{0, 3});
  const Eigen::MatrixXd back = as_eigen(ndarray<double>(shape{0, 3}));
  CHECK(back.cols() == 3);
}
