import { useCallback, useEffect, useState } from 'react'

/** Reports whether a part of a form shows input that the request does not have yet. */
export type ReportUnsaid = (part: string, unsaid: boolean) => void

/** Whether any part of a form shows input that its request does not have yet. Such a request must not be sent. */
export function useUnsaid(): [unsaid: boolean, report: ReportUnsaid] {
  const [parts, setParts] = useState<readonly string[]>([])
  const report = useCallback<ReportUnsaid>(
    (part, unsaid) =>
      setParts((known) => {
        if (known.includes(part) === unsaid) return known
        return unsaid ? [...known, part] : known.filter((other) => other !== part)
      }),
    [],
  )
  return [parts.length > 0, report]
}

/** Reports the state of one part of a form while it is shown; `report` must stay the same function. */
export function useReportUnsaid(part: string, unsaid: boolean, report: ReportUnsaid): void {
  useEffect(() => {
    report(part, unsaid)
    return () => report(part, false)
  }, [part, unsaid, report])
}
