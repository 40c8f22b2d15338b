export type * from '#addon'
export { holdSyncs, threadBreaches } from '#addon'
export { errorCodes, saidIn, StoreError } from './errors.js'
export type { ImportSession } from './import-session.js'
export type { KeyInput } from './records.js'
export {
  attachStore,
  listeningAgain,
  listeningSocket,
  listenTogether,
  openStore,
  planCapacity,
  stopListening,
  tallyOf,
  type Operation,
  type Store,
  type StoreOptions,
} from './store.js'
export type { Throwing } from './throwing.js'
