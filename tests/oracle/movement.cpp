// Elements that move: other blocks and shapes, arrays put together and taken apart, triangles.
#include <ashlar/diagonals.hpp>
#include <ashlar/joining.hpp>
#include <ashlar/movement.hpp>

#include "program.hpp"

namespace oracle {

namespace {

template <class T>
value tile_of(const ash::array<T>& x, const std::vector<std::int64_t>& n) {
  if (n.empty()) return tile(x, {});
  if (n.size() == 1) return tile(x, {n[0]});
  if (n.size() == 2) return tile(x, {n[0], n[1]});
  return tile(x, {n.at(0), n.at(1), n.at(2)});
}

template <class T>
value roll_of(const ash::array<T>& x, const std::vector<std::int64_t>& n, const ash::axes& which) {
  if (n.size() == 1) return ash::roll(x, n[0], which);
  return ash::roll(x, {n.at(0), n.at(1)}, which);
}

template <class T>
value insert_of(const ash::array<T>& x, arguments& a) {
  const std::int64_t at = a.integer();
  const std::int64_t axis = a.integer();
  return ash::insert(x, at, a.operand().as<T>(), axis);
}

template <class T>
value delete_of(const ash::array<T>& x, arguments& a) {
  const std::int64_t axis = a.integer();
  const ash::detail::index_item which = a.index().at(0);
  if (which.kind == ash::detail::index_item::sort::position) return ash::delete_(x, which.where, axis);
  return ash::delete_(x, which.range, axis);
}

template <class T>
value move(const std::string& op, const ash::array<T>& x, arguments& a) {
  if (op == "insert") return insert_of(x, a);
  if (op == "delete") return delete_of(x, a);
  if (op == "ravel") return ravel(x);
  if (op == "rechunk") return rechunk(x, a.chunks());
  if (op == "rechunk_balanced") return rechunk(x, a.integer(), {.balance = true});
  if (op == "set") {
    const value v = a.operand();
    return value(ash::detail::make_assigned(x.node(), a.index(), v.node, std::source_location{}));
  }
  const std::vector<std::int64_t> n = a.list();
  if (op == "reshape") {
    if (n.empty()) return reshape(x, ash::shape{});
    ash::new_shape wanted = n.size() == 1   ? ash::new_shape{n[0]}
                            : n.size() == 2 ? ash::new_shape{n[0], n[1]}
                            : n.size() == 3 ? ash::new_shape{n[0], n[1], n[2]}
                                            : ash::new_shape{n.at(0), n.at(1), n.at(2), n.at(3)};
    return reshape(x, wanted);
  }
  if (op == "repeat") return repeat(x, n.at(0), n.at(1));
  if (op == "tile") return tile_of(x, n);
  if (op == "roll") return roll_of(x, n, a.axes());
  if (op == "tril") return ash::tril(x, n.at(0));
  if (op == "triu") return ash::triu(x, n.at(0));
  if (op == "diag") return ash::diag(x, n.at(0));
  const std::size_t part = static_cast<std::size_t>(n.at(2));
  if (op == "split") return split(x, n.at(0), n.at(1)).at(part);
  return array_split(x, n.at(0), n.at(1)).at(part);
}

template <class T>
value join(const std::string& op, const std::vector<value>& operands, arguments& a) {
  std::vector<ash::array<T>> list;
  for (const value& v : operands) list.push_back(v.as<T>());
  if (op == "concatenate") return ash::concatenate(list, a.integer());
  if (op == "stack") return ash::stack(list, a.integer());
  if (op == "vstack") return ash::vstack(list);
  if (op == "hstack") return ash::hstack(list);
  if (op == "dstack") return ash::dstack(list);
  if (op == "column_stack") return ash::column_stack(list);
  if (op == "append")
    return a.more() ? value(ash::append(list.at(0), list.at(1), a.integer()))
                    : value(ash::append(list.at(0), list.at(1)));
  return ash::block(std::vector<std::vector<ash::array<T>>>{{list.at(0), list.at(1)}, {list.at(2), list.at(3)}});
}

}  // namespace

bool make_movement(const std::string& operation, arguments& a, value& out) {
  static const std::string moves =
      " insert delete ravel rechunk rechunk_balanced set reshape repeat tile roll tril triu diag split "
      "array_split ";
  static const std::string joins = " concatenate stack vstack hstack dstack column_stack append block ";
  if (moves.find(" " + operation + " ") != std::string::npos) {
    out = visit(a.operand(), every_type{}, [&](const auto& x) { return move(operation, x, a); });
    return true;
  }
  if (joins.find(" " + operation + " ") == std::string::npos) return false;
  const std::vector<value> operands = a.operands();
  out = visit(operands.at(0), every_type{},
              [&]<class T>(const ash::array<T>&) { return join<T>(operation, operands, a); });
  return true;
}

}  // namespace oracle
