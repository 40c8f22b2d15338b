import type { Index } from '../../api/types'
import { readRequest, type Request, withMember } from '../../records/request'
import type { Choice } from '../../ui/inputs'
import { covered } from '../indexes/index-words'

/** Words that name no index. */
const words: readonly string[] = ['auto', 'never']

/** Whether a query of a set, or of all where it is undefined, can be answered by an index. */
const covers = (index: Index, set: string | undefined): boolean => index.set === undefined || index.set === set

/** What a query of a set can choose from; `chosen` is a choice even where it cannot be used, and says so. */
export function indexChoices(
  indexes: readonly Index[] | undefined,
  set: string | undefined,
  chosen: string,
): Choice<string>[] {
  const usable = (indexes ?? []).filter((index) => index.state === 'ready' && covers(index, set))
  const choices = [
    { value: 'auto', label: 'auto: the cheapest way' },
    { value: 'never', label: 'never: no index of documents or ranges' },
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
  if (index === undefined) return 'not there'
  return index.state === 'ready' ? 'of another set' : 'not built yet'
}

/** The request's text without the index that it names, unless that covers the set that it asks. */
export function withFittingIndex(text: string, indexes: readonly Index[]): string {
  const request: Request | undefined = readRequest(text)
  const { useIndex, set } = request ?? {}
  if (request === undefined || typeof useIndex !== 'string' || words.includes(useIndex)) return text
  const named = indexes.find(({ name }) => name === useIndex)
  const fits = named !== undefined && covers(named, typeof set === 'string' ? set : undefined)
  return fits ? text : withMember(request, 'useIndex', '')
}
