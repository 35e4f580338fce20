// The same for `import`; index.mjs says why it is required.
import { createRequire } from "node:module";

export default createRequire(import.meta.url)("./setup.js");
