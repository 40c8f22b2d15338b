import { jsonProblem } from '../../records/bins'
import { requestBody } from '../../records/body'

export interface QueryForm {
  limit: string
  /** value of the set's distribution bin, as typed */
  route: string
  select: string
}

export const emptyQuery: QueryForm = { limit: '100', route: '', select: '' }

const isCount = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text)

export function queryProblems(where: string, { limit }: QueryForm): Partial<Record<'where' | 'limit', string>> {
  const whereProblem = where.trim() === '' ? undefined : jsonProblem(where)
  return {
    ...(whereProblem !== undefined && { where: whereProblem }),
    ...(limit !== '' && !isCount(limit) && { limit: 'A whole number, or empty for all' }),
  }
}

/** The query's request as JSON text; only a set with a distribution bin can be asked by route. */
export function queryBody(
  { set, where, distributionBin }: { set: string | undefined; where: string; distributionBin: string | undefined },
  { limit, route, select }: QueryForm,
): string {
  const names = select
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return requestBody(
    {
      set,
      select: names.length === 0 ? undefined : names,
      limit: isCount(limit) ? Number(limit) : undefined,
    },
    { route: distributionBin === undefined || route === '' ? '' : scalarText(route), where },
  )
}

/** JSON of the value that typed text stands for: the text itself where it is a JSON scalar, so that numbers keep every digit. */
function scalarText(text: string): string {
  const trimmed = text.trim()
  return /^[[{]/.test(trimmed) || jsonProblem(trimmed) !== undefined ? JSON.stringify(text) : trimmed
}
