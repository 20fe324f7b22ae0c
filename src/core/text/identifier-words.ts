/** Extensions by which a name without a slash is a file; those that are as often methods (`log`, `map`) are left out. */
export const FILE_EXTENSIONS: ReadonlySet<string> = new Set([
  ...["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte"],
  ...["astro", "html", "htm", "css", "scss", "less"],
  ...["py", "pyi", "ipynb", "rb", "erb", "php", "pl", "lua", "sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "awk"],
  ...["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "rs", "go", "java", "kt"],
  ...["kts", "scala", "swift", "cs", "fs", "vb", "dart"],
  ...["ex", "exs", "erl", "hs", "ml", "mli", "clj", "cljs", "jl", "zig"],
  ...["nim", "sol", "asm", "wasm", "proto", "graphql"],
  ...["json", "jsonl", "jsonc", "json5", "yaml", "yml", "toml", "ini"],
  ...["cfg", "conf", "env", "lock", "xml", "csv", "tsv"],
  ...["md", "mdx", "rst", "txt", "tex", "pdf", "docx", "xlsx", "sql", "db"],
  ...["sqlite", "diff", "patch", "snap", "svg", "png"],
  ...["jpg", "jpeg", "gif", "webp", "ico", "zip", "gz", "tgz", "tar", "whl"],
  ...["jar", "exe", "dll", "so", "tf", "gradle", "nix"],
]);

export const FILES_WITHOUT_EXTENSION: ReadonlySet<string> = new Set([
  ...["Dockerfile", "Makefile", "Justfile", "Gemfile", "Rakefile"],
  ...["Procfile", "Jenkinsfile", "Vagrantfile", "CODEOWNERS"],
]);

/** Error codes without digits, as a list: most words that start with E or SIG are something else. */
export const SYSTEM_ERRORS: ReadonlySet<string> = new Set([
  ...["ENOENT", "EACCES", "EPERM", "EEXIST", "ENOTDIR", "EISDIR"],
  ...["ENOTEMPTY", "EBUSY", "EINVAL", "EIO", "EBADF", "EMFILE"],
  ...["ENFILE", "ENOSPC", "EROFS", "EXDEV", "ELOOP", "EPIPE", "EAGAIN"],
  ...["EINTR", "ENOMEM", "ENOSYS", "EADDRINUSE", "ERANGE"],
  ...["EADDRNOTAVAIL", "ECONNREFUSED", "ECONNRESET", "ECONNABORTED"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EPROTO"],
  ...["ETIMEDOUT", "ENOTCONN", "ENOTSUP", "ERESOLVE", "EUSAGE", "EINTEGRITY", "EBADENGINE", "ENAMETOOLONG", "EDQUOT"],
  ...["SIGKILL", "SIGTERM", "SIGINT", "SIGSEGV", "SIGABRT", "SIGHUP"],
  ...["SIGPIPE", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP"],
]);
