//! Tables that stand for a thing with a declaration: joints, forces, drives, couplings.

use crate::diagnostic::Span;
use crate::value::Text;

/// A table with a name whose type declares a `T`; made by `declared!`.
pub(crate) trait Declared<T: 'static> {
    /// What is the same for all things of the type.
    fn declared() -> &'static T
    where
        Self: Sized;
    /// The same of a table at hand.
    fn declaration(&self) -> &'static T;
    /// Name of the thing.
    fn name(&self) -> &Text;
    /// Place of the table's header.
    fn span(&self) -> &Span;
}

/// Declares the table of a type: `NameTable "title" is DECLARATION: Type { keys }`. It has a name besides,
/// and with `and rest: Type` keys that follow from other declarations.
macro_rules! declared {
    ($(#[doc = $doc:literal])* $name:ident $title:literal is $declaration:ident: $of:ty
        { $( $(#[doc = $key_doc:literal])* $key:ident : $type:ty $(= $default:tt)? ),* $(,)? }
        $(and $rest:ident : $rest_type:ty)?) => {
        $crate::read::record! {
            $(#[doc = $doc])*
            pub(crate) struct $name $title {
                /// Name, unique among all things of the model.
                name: $crate::value::Text,
                $( $(#[doc = $key_doc])* $key: $type $(= $default)?, )*
            } $(and $rest: $rest_type)?
        }

        impl $crate::declared::Declared<$of> for $name {
            fn declared() -> &'static $of {
                &$declaration
            }
            fn declaration(&self) -> &'static $of {
                &$declaration
            }
            fn name(&self) -> &$crate::value::Text {
                &self.name
            }
            fn span(&self) -> &$crate::diagnostic::Span {
                &self.span
            }
        }
    };
}
pub(crate) use declared;
