import type { RegisteredRouter } from '@tanstack/react-router'
import type { May, Operation } from '../api/may'

/** Pages that serve one operation. The navigation has them for those who may do it; to others they name the role. */
const pageNeeds = {
  '/namespaces/new': 'createNamespace',
  '/namespaces/$ns/danger': 'dropNamespace',
  '/backups': 'getBackupSchedule',
  '/audit': 'listAudit',
  '/config': 'getServerConfig',
} as const satisfies Partial<Record<keyof RegisteredRouter['routesByPath'], Operation>>

/** The operation that a page is for; unset: it shows something to everybody. */
export const needsOf = (path: string): Operation | undefined =>
  (pageNeeds as Readonly<Record<string, Operation | undefined>>)[path]

export function mayOpen(may: May, path: string, namespace?: string): boolean {
  const needs = needsOf(path)
  return needs === undefined || may(needs, { namespace })
}
