import * as kv from "./index.js";
export * from "./index.js";
export default kv;
