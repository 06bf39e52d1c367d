// replaces.ts -- each name that @deno/kv exports the package exports, too, and takes its options.
// Checked by tsc, never run.
import * as theirs from "@deno/kv";
import * as ours from "sqlite-kv";
import type * as types from "sqlite-kv";

export const values: Record<keyof typeof theirs, unknown> = ours;
export const u64: InstanceType<typeof theirs.KvU64> = new ours.KvU64(1n);
export const unknown: theirs.UnknownV8 = new ours.UnknownV8(new Uint8Array());
export const serializer: ReturnType<typeof theirs.makeLimitedV8Serializer> = ours.makeLimitedV8Serializer();
export const services: ours.KvService[] = [ours.makeInMemoryService({} as theirs.InMemoryServiceOptions), ours.makeRemoteService({} as theirs.RemoteServiceOptions),
  ours.makeNapiBasedService({} as Omit<theirs.NapiBasedServiceOptions, "napi">)];
export const napi = (v: unknown): v is types.NapiInterface => ours.isNapiInterface(v);
export type All = [types.AtomicCheck, types.AtomicOperation, types.InMemoryServiceOptions, types.Kv, types.KvCommitError, types.KvCommitResult,
  types.KvConsistencyLevel, types.KvEntry<1>, types.KvEntryMaybe<1>, types.KvImplementation, types.KvKey, types.KvKeyPart, types.KvListIterator<1>,
  types.KvListOptions, types.KvListSelector, types.KvMutation, types.KvService, types.NapiBasedServiceOptions, types.NapiInterface, types.RemoteServiceOptions];
