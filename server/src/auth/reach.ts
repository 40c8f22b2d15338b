// How far a request reaches whose caller does not have the needed role for the whole server. It looks at grants only,
// never at what there is: a refusal tells nothing about a namespace that the caller does not know.
import type { ErrorCode } from '../error-table.js'
import { GatewayError } from '../errors.js'
import { type Grants, mayAnywhere, mayIn, mayInside } from './grants.js'
import { allows, type Role } from './roles.js'
import { english, say, type Sentence } from '../sentences/sentence.js'

/** What a job tells of where it works. */
export interface Place {
  kind: string
  namespace: string
  set?: string
  former?: true
}

export class Reach {
  readonly #grants: Grants
  readonly #role: Role

  constructor(grants: Grants, role: Role) {
    this.#grants = grants
    this.#role = role
  }

  /** The same for two callers who see the same. */
  get key(): string {
    return `${this.#role} ${JSON.stringify(this.#grants.list)}`
  }

  /** The same caller, as a reader. */
  get reader(): Reach {
    return new Reach(this.#grants, 'reader')
  }

  /** A whole namespace; without one, the server, which is never reached. */
  in(namespace: string | undefined): boolean {
    return namespace !== undefined && mayIn(this.#grants, this.#role, namespace)
  }

  inSet(namespace: string, set: string | undefined): boolean {
    return mayIn(this.#grants, this.#role, namespace, set)
  }

  /** With what the names of sets begin that the caller has of a namespace. */
  setPrefixes(namespace: string): string[] {
    return this.#grants.list.flatMap((grant) =>
      grant.namespace === namespace && grant.setPrefix !== undefined && allows(grant.role, this.#role)
        ? [grant.setPrefix]
        : [],
    )
  }

  /** Of those who have only some sets of a namespace, imports alone: other jobs count records of all sets. */
  job({ kind, namespace, set, former }: Place): boolean {
    if (former === true) return false
    return this.in(namespace) || (kind === 'import' && this.inSet(namespace, set))
  }

  /** Something that is kept. What is of a former namespace was never of who has the name now. */
  sees({ namespace, former }: { namespace?: string; former?: true }): boolean {
    return former !== true && this.in(namespace)
  }

  /** Whether the caller has any grant there, and so may know that the namespace exists. */
  knows(namespace: string): boolean {
    return mayInside(this.#grants, 'reader', namespace)
  }

  /** Whether the caller has some of its sets, and not the whole. */
  onlySetsOf(namespace: string): boolean {
    return !this.in(namespace) && mayInside(this.#grants, this.#role, namespace)
  }

  /** @throws `namespace_not_found`, `role_required` */
  need(namespace: string | undefined): void {
    if (!this.in(namespace)) throw this.#refusal(namespace)
  }

  /** @throws `namespace_not_found`, `role_required` */
  needSet(namespace: string, set: string | undefined): void {
    if (!this.inSet(namespace, set)) throw this.#refusal(namespace)
  }

  /** At least some sets of it. @throws `namespace_not_found`, `role_required` */
  needInside(namespace: string): void {
    if (!mayInside(this.#grants, this.#role, namespace)) throw this.#refusal(namespace)
  }

  /** @throws `role_required` */
  needServer(): never {
    throw this.#refusal(undefined)
  }

  /** @throws `role_required` */
  needAnywhere(): void {
    if (!mayAnywhere(this.#grants, this.#role))
      throw new GatewayError('role_required', say('this needs the role {role}', { role: this.#role }))
  }

  #refusal(namespace: string | undefined): Error {
    const role = this.#role
    if (namespace === undefined)
      return new GatewayError('role_required', say('this needs the role {role} for the whole server', { role }))
    if (!this.knows(namespace)) return namespaceNotFound(namespace)
    const why = say('this needs the role {role} for this in the namespace {namespace}', { role, namespace })
    return new GatewayError('role_required', why)
  }
}

/** A refusal in the form of the engine's own: also on the compatible API, nobody can tell them apart. */
export class NotFound extends Error {
  readonly code: ErrorCode
  readonly retryable = false
  readonly said: Sentence | undefined

  constructor(code: ErrorCode, message: string | Sentence) {
    super(typeof message === 'string' ? message : english(message))
    this.said = typeof message === 'string' ? undefined : message
    this.code = code
  }
}

const shown = (id: string): string => id.slice(0, 32)
export const namespaceNotFound = (name: string) =>
  new NotFound('namespace_not_found', say('there is no namespace "{name}"', { name }))
export const jobNotFound = (id: string) =>
  new NotFound('job_not_found', say('there is no job "{id}"', { id: shown(id) }))
export const importNotFound = (id: string) =>
  new NotFound('import_not_found', say('there is no import "{id}"', { id: shown(id) }))
export const workloadNotFound = (id: string) =>
  new NotFound('workload_not_found', say('there is no workload "{id}"', { id: shown(id) }))
export const backupNotFound = (id: string) =>
  new NotFound('backup_not_found', say('there is no backup "{id}"', { id: shown(id) }))
export const indexNotFound = (name: string) =>
  new NotFound('index_not_found', say('there is no index "{name}"', { name }))

const all = (): boolean => true
/** A filter for things of a namespace or, without one, of the server. */
export const seesOf = (reach: Reach | undefined): ((thing: { namespace?: string; former?: true }) => boolean) =>
  reach === undefined ? all : (thing) => reach.sees(thing)
