// What ends a command of the command line before its work is done, with a code for people and an exit status for scripts.

/** Exit statuses. docs/cli.md has the same list. */
export const exits = {
  failed: 1,
  usage: 2,
  unreachable: 3,
  notAllowed: 4,
  notFound: 5,
  conflict: 6,
  tryAgain: 7,
} as const

export class CliFailure extends Error {
  /** That of the API, or one of the command line: `unreachable`, `cut_off`, `input_invalid`, `answer_invalid`. */
  readonly code: string
  readonly exit: number

  constructor(code: string, message: string, exit: number = exits.failed) {
    super(message)
    this.name = 'CliFailure'
    this.code = code
    this.exit = exit
  }
}

export const inputFailure = (message: string): CliFailure => new CliFailure('input_invalid', message, exits.usage)

const byStatus = new Map<number, number>([
  [400, exits.usage],
  [401, exits.notAllowed],
  [403, exits.notAllowed],
  [404, exits.notFound],
  [409, exits.conflict],
  [412, exits.conflict],
  [422, exits.usage],
  [428, exits.usage],
  [429, exits.tryAgain],
  [503, exits.tryAgain],
])

/** The failure that an answer tells. `text`: its body. */
export function failureOf(status: number, text: string): CliFailure {
  const exit = byStatus.get(status) ?? exits.failed
  const problem = problemOf(text)
  // A proxy in between answers in its own words.
  if (problem === undefined) return new CliFailure(`http_${status}`, `the server answered with status ${status}`, exit)
  const field = problem.field === undefined ? '' : ` (${problem.field})`
  return new CliFailure(problem.code, `${problem.detail ?? problem.title ?? 'refused'}${field}`, exit)
}

interface Problem {
  code: string
  detail?: string
  title?: string
  field?: string
}

function problemOf(text: string): Problem | undefined {
  try {
    const value = JSON.parse(text) as Partial<Problem> | null
    return typeof value?.code === 'string' ? { ...value, code: value.code } : undefined
  } catch {
    return undefined
  }
}
