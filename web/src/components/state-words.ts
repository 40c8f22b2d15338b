import { t } from '../language/text'

/** Of jobs, namespaces, indexes, set indexes, backups and notices. */
const WORDS: Readonly<Record<string, string>> = {
  aborted: t('aborted'),
  building: t('building'),
  complete: t('complete'),
  damaged: t('damaged'),
  delivered: t('delivered'),
  done: t('done'),
  failed: t('failed'),
  off: t('off'),
  on: t('on'),
  paused: t('paused'),
  poisoned: t('poisoned'),
  queued: t('queued'),
  'read-only': t('read-only'),
  ready: t('ready'),
  recovering: t('recovering'),
  running: t('running'),
  unfinished: t('unfinished'),
  waiting: t('waiting'),
}

/** A state as it is shown. One that is not known here is shown as the server says it. */
export const stateWords = (state: string): string => (Object.hasOwn(WORDS, state) ? (WORDS[state] ?? state) : state)
