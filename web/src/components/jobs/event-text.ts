import { t } from '../../language/text'
import { stateWords } from '../state-words'
import { jobTitle } from './job-title'

type Said = (name: string, other: string) => string

/**
 * Events that are not of jobs, as the server writes them: the history keeps their texts for 30 days, so they have no
 * values beside them. A name has no spaces.
 */
const EVENTS: readonly (readonly [text: RegExp, said: Said])[] = [
  [/^dropped namespace (\S+) deleted$/, (name) => t('dropped namespace {name} deleted', { name })],
  [/^drop of the namespace (\S+) undone$/, (name) => t('drop of the namespace {name} undone', { name })],
  [/^folder (\S+) removed$/, (name) => t('folder {name} removed', { name })],
  [/^index (\S+) of (\S+) dropped$/, (name, of) => t('index {name} of {of} dropped', { name, of })],
  [/^limits of the set (\S+) changed$/, (name) => t('limits of the set {name} changed', { name })],
  [/^migration of namespace (\S+) abandoned$/, (name) => t('migration of namespace {name} abandoned', { name })],
  [/^migration of namespace (\S+) begun$/, (name) => t('migration of namespace {name} begun', { name })],
  [/^migration of namespace (\S+) finished$/, (name) => t('migration of namespace {name} finished', { name })],
  [
    /^namespace (\S+) adopted from folder (\S+)$/,
    (name, folder) => t('namespace {name} adopted from folder {folder}', { name, folder }),
  ],
  [/^namespace (\S+) changed$/, (name) => t('namespace {name} changed', { name })],
  [/^namespace (\S+) created$/, (name) => t('namespace {name} created', { name })],
  [/^namespace (\S+) cut over$/, (name) => t('namespace {name} cut over', { name })],
  [/^namespace (\S+) dropped$/, (name) => t('namespace {name} dropped', { name })],
  [/^namespace (\S+) opened$/, (name) => t('namespace {name} opened', { name })],
  [
    /^namespace (\S+) opened with what is left of it$/,
    (name) => t('namespace {name} opened with what is left of it', { name }),
  ],
  [/^namespace (\S+) rolled back$/, (name) => t('namespace {name} rolled back', { name })],
  [/^truncation of (\S+) undone$/, (name) => t('truncation of {name} undone', { name })],
]

/** The text of an event: that of a job's start is its title, that of its end has the state behind it. */
export function eventText({ kind, text }: { kind: string; text: string }): string {
  if (kind === 'job-start') return jobTitle(text)
  if (kind !== 'job-end') return changeText(text)
  const cut = text.lastIndexOf(': ')
  return cut < 0
    ? text
    : t('{title}: {state}', { title: jobTitle(text.slice(0, cut)), state: stateWords(text.slice(cut + 2)) })
}

/** One that is not known here is shown as the server says it. */
function changeText(text: string): string {
  for (const [pattern, said] of EVENTS) {
    const found = pattern.exec(text)
    if (found !== null) return said(found[1] ?? '', found[2] ?? '')
  }
  return text
}
