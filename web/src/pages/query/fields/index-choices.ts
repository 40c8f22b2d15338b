import type { Index } from '../../../api/types'
import { readRequest, type Request, withMember } from '../../../records/request/request'
import type { Choice } from '../../../ui/inputs'
import { covered } from '../../indexes/index-words'
import { t } from '../../../language/text'

/** Choices that are not the name of an index. */
const words: readonly string[] = ['auto', 'never']

/** Whether an index can answer a query of a set (undefined: of all records). */
const covers = (index: Index, set: string | undefined): boolean => index.set === undefined || index.set === set

/** The choices for a query of a set. `chosen` stays a choice even if it cannot be used, with the reason. */
export function indexChoices(
  indexes: readonly Index[] | undefined,
  set: string | undefined,
  chosen: string,
): Choice<string>[] {
  const usable = (indexes ?? []).filter((index) => index.state === 'ready' && covers(index, set))
  const choices = [
    { value: 'auto', label: t('auto: the cheapest') },
    { value: 'never', label: t('never: no document or range index') },
    ...usable
      .filter(({ name }) => !words.includes(name))
      .map((index) => ({ value: index.name, label: `${index.name} (${index.kind}, ${covered(index)})` })),
  ]
  if (choices.some(({ value }) => value === chosen)) return choices
  return [
    ...choices,
    { value: chosen, label: indexes === undefined ? chosen : `${chosen} (${whyNot(indexes, chosen)})` },
  ]
}

function whyNot(indexes: readonly Index[], chosen: string): string {
  const index = indexes.find(({ name }) => name === chosen)
  if (index === undefined) return 'missing'
  return index.state === 'ready' ? t('covers another set') : t('not built yet')
}

/** The request's text, without its index if that does not cover the set. */
export function withFittingIndex(text: string, indexes: readonly Index[]): string {
  const request: Request | undefined = readRequest(text)
  const { useIndex, set } = request ?? {}
  if (request === undefined || typeof useIndex !== 'string' || words.includes(useIndex)) return text
  const named = indexes.find(({ name }) => name === useIndex)
  const fits = named !== undefined && covers(named, typeof set === 'string' ? set : undefined)
  return fits ? text : withMember(request, 'useIndex', '')
}
