// The scalar types of the kernel source, which is compiled twice: by AssemblyScript, where these names are built in,
// and by TypeScript, where an i64 is a bigint.
declare type i32 = number;
declare type i64 = bigint;
declare type f64 = number;
