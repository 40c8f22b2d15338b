import { t, tIn } from '../language/text'

/** Of jobs and their workers, namespaces, indexes, set indexes, backups, alerts, notices and operations. */
const WORDS: Readonly<Record<string, string>> = {
  aborted: t('aborted'),
  building: t('building'),
  complete: t('complete'),
  damaged: t('damaged'),
  delivered: t('delivered'),
  done: t('done'),
  failed: t('failed'),
  firing: t('firing'),
  off: tIn('state', 'off'),
  ok: t('ok'),
  on: tIn('state', 'on'),
  paused: t('paused'),
  pending: t('pending'),
  poisoned: t('poisoned'),
  queued: t('queued'),
  'read-only': t('read-only'),
  ready: t('ready'),
  recovering: t('recovering'),
  refused: t('refused'),
  resolved: t('resolved'),
  running: t('running'),
  sending: t('sending'),
  test: tIn('kind of notice', 'test'),
  throttled: t('throttled'),
  unfinished: t('unfinished'),
  unknown: t('unknown'),
  waiting: t('waiting'),
  working: t('working'),
}

/** A state as it is shown. One that is not known here is shown as the server says it. */
export const stateWords = (state: string): string => (Object.hasOwn(WORDS, state) ? (WORDS[state] ?? state) : state)
