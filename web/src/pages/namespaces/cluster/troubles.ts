import type { ClusterView } from '../../../api/types'
import { t } from '../../../language/text'

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
    ...(away.length > 0 ? [t('Not connected: {value}.', { value: away.join(', ') })] : []),
    ...(silent.length > 0 ? [t('Connected, but without an answer: {value}.', { value: silent.join(', ') })] : []),
    ...(missing.length > 0
      ? [t('Other nodes keep writes that these have missed: {value}.', { value: missing.join(', ') })]
      : []),
    ...changing.map(({ address, state = '' }) => t('The state of {address} is {state}.', { address, state })),
    ...(schemas.size > 1
      ? [t('The nodes have {size, plural, one {# version} other {# versions}} of the schema.', { size: schemas.size })]
      : []),
  ]
}
