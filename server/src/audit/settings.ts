// The settings that an operation changes, read before and after it. Only these are recorded, and never a body.
import type { App } from '../app-types.js'
import type { Target } from './facts.js'

type Read = (app: App, target: Target) => unknown

const config: Read = async ({ engine }, { namespace = '' }) => (await engine.namespace(namespace)).config

const set: Read = async ({ engine }, { namespace = '', set: name }) => {
  const { distributionBin, index: setIndex, limits } = await engine.set(namespace, name ?? '')
  return { distributionBin, index: setIndex.state, limits }
}

const index: Read = async ({ engine }, { namespace = '', object = '' }) => {
  const { set: of, bin, kind } = await engine.index(namespace, object)
  return { set: of, bin, kind }
}

const slow: Read = ({ engine }) => {
  const { thresholdMs, keepKeys, namespaces } = engine.slowSettings()
  return { thresholdMs, keepKeys, namespaces }
}

/** Without its name, which is free text. */
const rule: Read = ({ alerts }, { object = '' }) => {
  const {
    name: _,
    namespaceId: _n,
    createdAt: _c,
    updatedAt: _u,
    who: _w,
    id: _i,
    ...settings
  } = alerts.rules.get(object)
  return settings
}

/** The path of its address is a secret of the receiver. */
const webhook: Read = ({ alerts }) => {
  const { url, enabled, secretSetAt } = alerts.rules.webhook()
  return { host: new URL(url).host, enabled, secretSetAt }
}

const token: Read = ({ apiTokens }, { object = '' }) => {
  const { name, grants, expiresAt, limits } = apiTokens.get(object)
  return { name, grants, expiresAt, limits }
}

const user: Read = ({ users }, { object = '' }) => {
  const { name, grants, disabled, limits, secondFactorSince } = users.get(object)
  return { name, grants, disabled, limits, secondFactorSince }
}

const job: Read = ({ engine }, { object = '' }) => {
  const { kind, state, threads, recordsPerSecond } = engine.job(object)
  return { kind, state, threads, recordsPerSecond }
}

/** Without secrets. */
const server: Read = ({ settings }) => settings.values()

const READS: Readonly<Record<string, Read>> = {
  createNamespace: config,
  updateNamespace: config,
  restoreConfigRevision: config,
  dropNamespace: config,
  reopenNamespace: config,
  cutOverMigration: config,
  rollBackMigration: config,
  finishMigration: config,
  abandonMigration: config,
  createSet: set,
  updateSet: set,
  createIndex: index,
  dropIndex: index,
  createCompatibleIndex: index,
  deleteCompatibleIndex: index,
  changeSlowSettings: slow,
  updateServerConfig: server,
  reloadServerConfig: server,
  restoreServerRevision: server,
  createAlertRule: rule,
  replaceAlertRule: rule,
  removeAlertRule: rule,
  muteAlertRule: rule,
  unmuteAlertRule: rule,
  setAlertWebhook: webhook,
  removeAlertWebhook: webhook,
  createToken: token,
  revokeToken: token,
  updateToken: token,
  createUser: user,
  updateUser: user,
  removeUser: user,
  removeUserSecondFactor: user,
  updateJob: job,
  abortJob: job,
}

/**
 * The settings as they are now; undefined if there are none, or none that are recorded. What cannot be read goes to
 * `failed`, if that is given: what is not there has no settings.
 */
export async function settingsOf(
  app: App,
  operation: string,
  target: Target,
  failed?: (error: unknown) => void,
): Promise<unknown> {
  try {
    return await READS[operation]?.(app, target)
  } catch (error) {
    failed?.(error)
    return undefined
  }
}
