// Whose something is that is kept under the name of a namespace. A name can be given again, an id cannot: what a former
// namespace left is marked, and then nobody sees it but who sees the whole server.

/** Who has a name. */
export interface Tenure {
  /** Id of a namespace; empty if none has the name. */
  id: string
  /** Since when, Unix milliseconds. */
  sinceMs: number
}

export interface Ids {
  /** Who has a name now; returned at once. */
  tenureOf(namespace: string): Tenure
  /** Who had a name when ids were first kept; empty: nobody. */
  firstNamespaceId(namespace: string): string
}

/** Something that is kept. Without a namespace, it is of the server. */
export interface Kept {
  namespace?: string
  /** Empty: no namespace had the name. Unset: it was kept before there were ids. */
  namespaceId?: string
}

export const ownerOf = (ids: Ids, { namespace = '', namespaceId }: Kept): string =>
  namespaceId ?? ids.firstNamespaceId(namespace)

/** Whether the namespace that it is of has its name no more. */
export const isFormer = (ids: Ids, kept: Kept): boolean =>
  kept.namespace !== undefined && ownerOf(ids, kept) !== ids.tenureOf(kept.namespace).id

export const marked = <T extends Kept>(ids: Ids, kept: T): T & { former?: true } =>
  isFormer(ids, kept) ? { ...kept, former: true } : kept

/** Those of an engine that is opened later. */
export const idsOf = (app: { engine: Ids }): Ids => ({
  tenureOf: (namespace) => app.engine.tenureOf(namespace),
  firstNamespaceId: (namespace) => app.engine.firstNamespaceId(namespace),
})
