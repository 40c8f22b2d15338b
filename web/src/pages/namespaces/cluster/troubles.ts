import type { ClusterView } from '../../../api/types'
import { plural } from '../../../format'

/** What is wrong with a cluster, one sentence each; empty if nothing is. */
export function troublesOf({ nodes }: ClusterView): string[] {
  const named = (wanted: (node: ClusterView['nodes'][number]) => boolean) =>
    nodes.filter(wanted).map(({ address }) => address)
  const away = named(({ connected }) => !connected)
  const silent = named(({ connected, error }) => connected && error !== undefined)
  const missing = named(({ hintFiles }) => hintFiles !== undefined && hintFiles > 0)
  const changing = nodes.filter(({ state }) => state !== undefined && state !== 'NORMAL')
  const schemas = new Set(nodes.flatMap(({ schemaVersion }) => schemaVersion ?? []))
  return [
    ...(away.length > 0 ? [`Not connected: ${away.join(', ')}.`] : []),
    ...(silent.length > 0 ? [`Connected, but without an answer: ${silent.join(', ')}.`] : []),
    ...(missing.length > 0 ? [`Other nodes keep writes that these have missed: ${missing.join(', ')}.`] : []),
    ...changing.map(({ address, state = '' }) => `The state of ${address} is ${state}.`),
    ...(schemas.size > 1 ? [`The nodes have ${plural(schemas.size, 'version')} of the schema.`] : []),
  ]
}
