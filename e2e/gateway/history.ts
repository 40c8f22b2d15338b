// What clients asked of records and what they were told, and whether one register for each key could have answered so:
// linearizability (Herlihy and Wing, 1990), checked as the answers come (Lowe, "Testing for Linearizability", 2016).

/** A record: its value, unique to the operation that wrote it, and its generation. Undefined: there is none. */
export type State = { readonly value: number; readonly generation: number } | undefined

/** What is asked of a record. `expected` is the generation that it must have. */
export type Step =
  | { readonly kind: 'read' }
  | { readonly kind: 'put'; readonly value: number }
  | { readonly kind: 'create'; readonly value: number }
  | { readonly kind: 'swap'; readonly value: number; readonly expected: number }
  | { readonly kind: 'delete'; readonly expected?: number }

/** An answer. Of `refused` the server says that nothing has changed. */
export type Outcome =
  | { readonly is: 'found'; readonly value: number; readonly generation: number }
  | { readonly is: 'written'; readonly generation: number; readonly created: boolean }
  | { readonly is: 'removed' | 'absent' | 'exists' | 'mismatch' | 'refused' }

/** Without an outcome it is open: it took effect before its server ended, or never. */
export interface Operation {
  readonly id: number
  readonly client: number
  readonly step: Step
  readonly begun: number
  ended?: number
  outcome?: Outcome
}

/** The operations on one key, from a start of the server to its end. */
export class History {
  readonly operations: Operation[] = []
  readonly #tick: () => number

  /** `tick` counts the moments of all histories that belong together. */
  constructor(tick: () => number) {
    this.#tick = tick
  }

  begin(client: number, step: Step): Operation {
    const begun = this.#tick()
    const operation = { id: begun, client, step, begun }
    this.operations.push(operation)
    return operation
  }

  /** Another answer to the same question. */
  answerAgain(operation: Operation, outcome: Outcome): void {
    const again = { ...operation, id: this.#tick() }
    this.operations.push(again)
    this.end(again, outcome)
  }

  end(operation: Operation, outcome: Outcome): void {
    operation.outcome = outcome
    operation.ended = this.#tick()
  }
}

/** No register can have answered `operation` as it was. */
export class Fault extends Error {
  readonly operation: Operation

  constructor(operation: Operation, before: readonly State[], operations: readonly Operation[]) {
    const states = [...new Set(before.map(nameOf))].join(' or ')
    const asked = operations.filter(({ begun }) => begun <= (operation.ended ?? Infinity))
    super(`no order of operations explains\n${lineOf(operation)}\nafter ${states}:\n${listOf(asked)}`)
    this.operation = operation
  }
}

/** A way in which things can have come about: the state, and those under way that have taken effect. */
interface Course {
  readonly state: State
  readonly done: ReadonlySet<Operation>
}

/**
 * The states that a record may be in after these operations, if it was in one of `initial` before them. `isLast`: nobody looks at
 * the record afterwards. Then values that nobody has read are not told apart, and many writes without an answer cost little.
 * @throws {Fault} where there is none.
 */
export function check(operations: readonly Operation[], initial: readonly State[], isLast = false): State[] {
  // What was refused has no effect: who sees its value has seen one that was never written. A read without an answer has none.
  const effective = operations.filter(
    ({ step, outcome }) => outcome?.is !== 'refused' && (outcome !== undefined || step.kind !== 'read'),
  )
  const alike = isLast ? unread(effective) : new Set<Operation>()
  const moments = effective.flatMap((operation) => [
    { at: operation.begun, operation, ends: false },
    ...(operation.ended === undefined ? [] : [{ at: operation.ended, operation, ends: true }]),
  ])
  const pending = new Set<Operation>()
  let courses = leastOf(initial.map((state) => ({ state, done: new Set() })))
  for (const { operation, ends } of moments.sort((a, b) => a.at - b.at)) {
    if (!ends) {
      pending.add(operation)
      continue
    }
    const reached = leastOf(courses.flatMap((course) => until(course, operation, pending, alike)))
    if (reached.length === 0)
      throw new Fault(
        operation,
        courses.map(({ state }) => state),
        operations,
      )
    pending.delete(operation)
    courses = leastOf(reached.map(({ state, done }) => ({ state, done: without(done, operation) })))
  }
  // Each of those without an answer may have taken effect or not.
  const states = courses.flatMap((course) => explore(course, pending, alike, () => true)).map(({ state }) => state)
  return [...new Map(states.map((state) => [nameOf(state), state])).values()]
}

/** Writes without an answer whose value nobody has read: those of one kind are as good as each other. */
function unread(operations: readonly Operation[]): ReadonlySet<Operation> {
  const values = new Set(operations.flatMap(({ outcome }) => (outcome?.is === 'found' ? [outcome.value] : [])))
  return new Set(
    operations.filter(({ step, outcome }) => outcome === undefined && !('value' in step && values.has(step.value))),
  )
}

/** The courses that go on from this one, and in which `operation` has just taken effect. */
function until(
  course: Course,
  operation: Operation,
  pending: ReadonlySet<Operation>,
  alike: ReadonlySet<Operation>,
): Course[] {
  if (course.done.has(operation)) return [course]
  return explore(course, pending, alike, ({ done }) => !done.has(operation)).filter(({ done }) => done.has(operation))
}

/** All courses that come of pending operations taking effect or not; those that do not go on are the last of theirs. */
function explore(
  from: Course,
  pending: ReadonlySet<Operation>,
  alike: ReadonlySet<Operation>,
  goesOn: (course: Course) => boolean,
): Course[] {
  const least = new Least()
  least.take(from)
  let left = [from]
  // Those of fewer operations first: others that lead to the same are of no use then.
  while (left.length > 0) {
    const further: Course[] = []
    for (const course of left.filter(goesOn)) {
      const tried = new Set<string>()
      for (const operation of pending) {
        if (course.done.has(operation)) continue
        const kind = alike.has(operation) ? kindOf(operation) : String(operation.id)
        if (tried.has(kind)) continue
        tried.add(kind)
        const next = after(course.state, operation)
        if (next === 'impossible') continue
        const state = next !== undefined && alike.has(operation) ? { ...next, value: UNREAD } : next
        const reached = { state, done: new Set([...course.done, operation]) }
        if (least.take(reached)) further.push(reached)
      }
    }
    left = further
  }
  return least.all
}

/** Stands for every value that nobody has read. */
const UNREAD = -1

const kindOf = ({ step }: Operation): string => `${step.kind} ${'expected' in step ? step.expected : ''}`

/** Courses without those that have used more operations without an answer than another one of the same state. */
class Least {
  readonly #met = new Map<string, Course[]>()

  get all(): Course[] {
    return [...this.#met.values()].flat()
  }

  /** Whether it is of use. */
  take(course: Course): boolean {
    const name = courseName(course)
    const same = this.#met.get(name) ?? []
    if (same.some(({ done }) => isPart(done, course.done))) return false
    this.#met.set(name, [...same.filter(({ done }) => !isPart(course.done, done)), course])
    return true
  }
}

const isPart = (some: ReadonlySet<Operation>, all: ReadonlySet<Operation>): boolean =>
  some.size <= all.size && [...some].every((operation) => all.has(operation))

function leastOf(courses: readonly Course[]): Course[] {
  const least = new Least()
  for (const course of courses) least.take(course)
  return least.all
}

/** The state after an operation that takes effect on `state`, if it could be answered as it was. */
function after(state: State, { step, outcome }: Operation): State | 'impossible' {
  const only = (possible: boolean): State | 'impossible' => (possible ? state : 'impossible')
  const matches = !('expected' in step) || step.expected === undefined || state?.generation === step.expected
  switch (outcome?.is) {
    case 'found':
      return only(state?.value === outcome.value && state.generation === outcome.generation)
    case 'absent':
      return only(state === undefined)
    case 'exists':
      return only(state !== undefined)
    case 'mismatch':
      // A write with a condition is refused so where nothing is, too; a delete finds nothing then.
      return only((state !== undefined || step.kind === 'swap') && !matches)
    case 'removed':
      return state !== undefined && matches ? undefined : 'impossible'
    case 'refused':
      return 'impossible'
    case 'written':
    case undefined:
      break
  }
  if (step.kind === 'read') return only(outcome === undefined)
  if (step.kind === 'delete') return outcome === undefined && matches ? undefined : 'impossible'
  if (step.kind === 'create' && state !== undefined) return 'impossible'
  if (step.kind === 'swap' && !matches) return 'impossible'
  const next = { value: step.value, generation: (state?.generation ?? 0) + 1 }
  if (outcome === undefined) return next
  return outcome.generation === next.generation && outcome.created === (state === undefined) ? next : 'impossible'
}

function without(done: ReadonlySet<Operation>, operation: Operation): ReadonlySet<Operation> {
  return new Set([...done].filter((other) => other !== operation))
}

/** What has to be the same of two courses that are compared: those without an answer need not take effect at all. */
function courseName({ state, done }: Course): string {
  const answered = [...done].filter(({ outcome }) => outcome !== undefined).map(({ id }) => id)
  return `${nameOf(state)} ${answered.sort((a, b) => a - b).join(' ')}`
}

function nameOf(state: State): string {
  return state === undefined ? 'no record' : `${state.value} of generation ${state.generation}`
}

/** Operations as lines, in the order in which they began. */
export function listOf(operations: readonly Operation[]): string {
  return [...operations]
    .sort((a, b) => a.begun - b.begun)
    .map(lineOf)
    .join('\n')
}

function lineOf({ client, step, begun, ended, outcome }: Operation): string {
  const { kind, ...asked } = step
  const answer = outcome === undefined ? 'no answer' : JSON.stringify(outcome)
  return `${begun} to ${ended ?? 'the end'}: client ${client}: ${kind} ${JSON.stringify(asked)}: ${answer}`
}
