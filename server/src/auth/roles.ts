// What a caller may do. Each role may do all that those before it may.

export const ROLES = ['reader', 'writer', 'operator', 'admin'] as const
export type Role = (typeof ROLES)[number]

const RANK: Readonly<Record<Role, number>> = { reader: 0, writer: 1, operator: 2, admin: 3 }

/** Whether a caller of role `has` may do what needs `needed`. */
export const allows = (has: Role, needed: Role): boolean => RANK[has] >= RANK[needed]
