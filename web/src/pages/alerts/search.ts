import type { SearchSchemaInput } from '@tanstack/react-router'
import { textOf } from '../../search'

/** What the Alerts page keeps in its URL. */
export interface AlertsSearch {
  /** the entry of the history that is shown */
  event?: string | undefined
}

export const readAlertsSearch = (raw: Partial<AlertsSearch> & SearchSchemaInput): AlertsSearch => ({
  event: textOf(raw.event),
})
