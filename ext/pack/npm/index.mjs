// sqlite-kv as an ES module.
import kv from "./index.js";

export const { getLoadablePath, load, openKv, Kv, KvU64, KvHostObject, KvListIterator, AtomicOperation, NAPI_FUNCTIONS,
  isNapiInterface, UnknownV8, makeLimitedV8Serializer, makeNapiBasedService, makeRemoteService, makeInMemoryService, makeNativeService } = kv;
export default kv;
