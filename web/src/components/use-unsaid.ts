import { useCallback, useEffect, useState } from 'react'

/** Told by a part of a form whether its request does not say yet what the part shows. */
export type ReportUnsaid = (part: string, unsaid: boolean) => void

/** Whether any part of a form shows what its request does not say yet: such a request is not to be sent. */
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

/** Keeps a form told about one of its parts for as long as it is shown; `report` must stay the same function. */
export function useReportUnsaid(part: string, unsaid: boolean, report: ReportUnsaid): void {
  useEffect(() => {
    report(part, unsaid)
    return () => report(part, false)
  }, [part, unsaid, report])
}
