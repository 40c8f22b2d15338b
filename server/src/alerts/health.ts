// The health that the alerts add up to, in words.
import type { AlertHealth } from '../schemas/alerts/health.js'
import { english } from '../sentences/sentence.js'
import type { Watch } from './watch/watch.js'

/** Mutes do not count: they silence notices, not facts. */
export function healthOf(watches: readonly Watch[]): AlertHealth {
  const wrong = watches
    .map((watch) => ({ watch, weight: weightOf(watch) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  const said = wrong.map(({ watch }) => watch.sentence())
  const reasons = said.map(english)
  const tone = wrong.length === 0 ? 'good' : wrong.some(({ weight }) => weight > 1) ? 'bad' : 'warn'
  return { tone, text: sentence(reasons), reasons, said }
}

/** 3: critical, 2: a missed target, 1: a warning, 0: well. */
function weightOf(watch: Watch): number {
  if (watch.standing.state === 'firing' && watch.rule.severity === 'critical') return 3
  if (watch.missed) return 2
  return watch.standing.state === 'firing' ? 1 : 0
}

function sentence(reasons: readonly string[]): string {
  const [first, second, ...more] = reasons
  if (first === undefined) return 'Healthy'
  if (second === undefined) return first
  return more.length === 0 ? `${first}; ${second}` : `${first}; ${second}; and ${more.length} more`
}
