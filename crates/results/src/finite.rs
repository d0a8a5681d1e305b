//! Finds a number that is not finite anywhere in a serialisable value.
//!
//! JSON has no NaN and no infinity, and `serde_json` writes `null` in their
//! place without a word; this walk names the field instead.

use std::fmt;

use serde::ser::{self, Serialize};

/// A number that is not finite and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NotFinite {
    /// Dotted path of the field.
    pub field: String,
    /// The number.
    pub value: f64,
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is {}", self.field, self.value)
    }
}

impl std::error::Error for NotFinite {}

impl ser::Error for NotFinite {
    /// A value that refuses to be serialised; the JSON writer, which comes
    /// next, reports it with its reason, so here it only needs a place.
    fn custom<T: fmt::Display>(message: T) -> Self {
        NotFinite { field: message.to_string(), value: f64::NAN }
    }
}

/// Checks that every number in `value` is finite.
pub(crate) fn check<T: Serialize>(value: &T) -> Result<(), NotFinite> {
    value.serialize(&mut Walk::default())
}

/// The walk and the path of the place it has reached.
#[derive(Default)]
struct Walk {
    path: Vec<String>,
}

impl Walk {
    fn within<T: Serialize + ?Sized>(&mut self, step: String, value: &T) -> Result<(), NotFinite> {
        self.path.push(step);
        value.serialize(&mut *self)?;
        self.path.pop();
        Ok(())
    }
}

/// A sequence or map under way and the position or key in it.
struct Inside<'a> {
    walk: &'a mut Walk,
    position: usize,
    key: String,
}

impl<'a> Inside<'a> {
    fn new(walk: &'a mut Walk) -> Result<Self, NotFinite> {
        Ok(Inside { walk, position: 0, key: String::new() })
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
        let step = self.position.to_string();
        self.position += 1;
        self.walk.within(step, value)
    }
}

/// Kinds of value in which no float can hide.
macro_rules! accept {
    ($($method:ident($type:ty)),* $(,)?) => {
        $(fn $method(self, _: $type) -> Result<(), NotFinite> { Ok(()) })*
    };
}

impl<'a> ser::Serializer for &'a mut Walk {
    type Ok = ();
    type Error = NotFinite;
    type SerializeSeq = Inside<'a>;
    type SerializeTuple = Inside<'a>;
    type SerializeTupleStruct = Inside<'a>;
    type SerializeTupleVariant = Inside<'a>;
    type SerializeMap = Inside<'a>;
    type SerializeStruct = Inside<'a>;
    type SerializeStructVariant = Inside<'a>;

    accept!(
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_i128(i128),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_u128(u128),
        serialize_char(char),
        serialize_str(&str),
        serialize_bytes(&[u8]),
        serialize_unit_struct(&'static str),
    );

    fn serialize_f32(self, value: f32) -> Result<(), NotFinite> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), NotFinite> {
        if value.is_finite() {
            return Ok(());
        }
        Err(NotFinite { field: self.path.join("."), value })
    }

    fn serialize_none(self) -> Result<(), NotFinite> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NotFinite> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), NotFinite> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), NotFinite> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NotFinite> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), NotFinite> {
        self.within(variant.to_owned(), value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Inside<'a>, NotFinite> {
        Inside::new(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Inside<'a>, NotFinite> {
        Inside::new(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Inside<'a>, NotFinite> {
        Inside::new(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Inside<'a>, NotFinite> {
        Inside::new(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Inside<'a>, NotFinite> {
        Inside::new(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Inside<'a>, NotFinite> {
        Inside::new(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Inside<'a>, NotFinite> {
        Inside::new(self)
    }
}

/// The four kinds of list differ only in the name of their method.
macro_rules! list {
    ($($kind:ident::$method:ident),* $(,)?) => {
        $(impl ser::$kind for Inside<'_> {
            type Ok = ();
            type Error = NotFinite;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
                self.element(value)
            }
            fn end(self) -> Result<(), NotFinite> { Ok(()) }
        })*
    };
}

list!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
);

/// So do the two kinds of record.
macro_rules! record {
    ($($kind:ident),* $(,)?) => {
        $(impl ser::$kind for Inside<'_> {
            type Ok = ();
            type Error = NotFinite;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), NotFinite> {
                self.walk.within(key.to_owned(), value)
            }
            fn end(self) -> Result<(), NotFinite> { Ok(()) }
        })*
    };
}

record!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Inside<'_> {
    type Ok = ();
    type Error = NotFinite;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NotFinite> {
        self.key = serde_json::to_string(key).unwrap_or_default();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
        let step = self.key.trim_matches('"').to_owned();
        self.walk.within(step, value)
    }

    fn end(self) -> Result<(), NotFinite> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(serde::Serialize)]
    struct Inner {
        fine: Vec<f64>,
        maybe: Option<f64>,
    }

    #[test]
    fn the_field_is_named() {
        let mut map = BTreeMap::from([("a", Inner { fine: vec![1.0], maybe: None })]);
        assert_eq!(check(&map), Ok(()));
        map.insert("b", Inner { fine: vec![0.0, f64::INFINITY], maybe: None });
        assert_eq!(check(&map).unwrap_err().field, "b.fine.1");
        map.insert("b", Inner { fine: vec![], maybe: Some(f64::NAN) });
        assert_eq!(check(&map).unwrap_err().field, "b.maybe");
    }
}
