// What a change of settings would do: the configuration after it, and what each setting does and costs.
import { GatewayError } from '../errors.js'
import type { PlannedChange } from '../schemas/namespaces/changes.js'
import {
  liveFields,
  type LiveSettings,
  type Namespace,
  type NamespaceConfig,
  type NamespacePatch,
} from '../schemas/namespaces/namespaces.js'
import { changesBetween } from './changes.js'
import { english, saidOf, say } from '../sentences/sentence.js'
import { effectOf } from './effects.js'

export interface Plan {
  /** What the engine is asked to change; it may be empty. */
  patch: LiveSettings
  /** The configuration afterwards. */
  config: NamespaceConfig
  changes: PlannedChange[]
}

const isLive = (field: string): boolean => (liveFields as readonly string[]).includes(field)
const MIGRATED = /^(storage\.|segments$|container$|durability$)/

/** What a patch would do. */
export function planPatch(namespace: Namespace, patch: NamespacePatch): Plan {
  const { reason: _, ownership, storage, ...others } = patch
  const { ownership: owned, ...now } = namespace.config
  const cluster = { ...now.storage.cluster, ...storage?.cluster }
  const stored = { ...now.storage, ...storage, ...(Object.keys(cluster).length > 0 && { cluster }) }
  const wanted = { ...now, ...others, storage: stored, ...ownershipOf(ownership === undefined ? owned : ownership) }
  return planned(namespace, wanted as NamespaceConfig)
}

/** What a roll back to an older configuration would do. */
export const planRestore = (namespace: Namespace, older: NamespaceConfig): Plan =>
  // It may have had another name, which is no setting.
  planned(namespace, { ...older, name: namespace.name })

function planned(namespace: Namespace, wanted: NamespaceConfig): Plan {
  const differences = changesBetween(namespace.config, wanted).filter(
    // Of the settings that can change, only `ownership` can be unset.
    ({ field, to }) => to !== undefined || !isLive(field) || field === 'ownership',
  )
  const changes = differences.map((change): PlannedChange => {
    const applies = isLive(change.field) ? 'at_once' : MIGRATED.test(change.field) ? 'migration' : 'creation'
    const effect = effectOf(namespace, change, applies)
    return { ...change, applies, effect: english(effect), ...saidOf(effect) }
  })
  const live = changes.filter(({ applies }) => applies === 'at_once')
  const patch = Object.fromEntries(live.map(({ field, to }) => [field, to ?? null])) as LiveSettings
  const { ownership, ...rest } = { ...namespace.config, ...patch }
  return { patch, config: { ...rest, ...ownershipOf(ownership) }, changes }
}

const ownershipOf = <T>(ownership: T | null | undefined): { ownership?: T } =>
  ownership === null || ownership === undefined ? {} : { ownership }

/** @throws GatewayError `setting_fixed` if the plan has a setting that only a migration or a new namespace can have */
export function requireLive({ changes }: Plan): void {
  const fixed = changes.find(({ applies }) => applies !== 'at_once')
  if (fixed === undefined) return
  const message = say('{field} cannot change here. {effect}', {
    field: fixed.field,
    effect: fixed.said ?? fixed.effect,
  })
  throw new GatewayError('setting_fixed', message, { field: fixed.field })
}
