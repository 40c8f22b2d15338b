/** How a query is answered; the core writes it. */
export interface QueryPlan {
  method: 'document-index' | 'range-index' | 'indexes' | 'set-index' | 'set-column' | 'all' | 'device-sequential'
  /** The index that proposes the candidates, if it is one. */
  index?: string
  indexes?: string[]
  segments: number
  estimatedCandidates: number
  estimatedMs: number
  terms?: number
  reason: string
  alternatives?: { method: string; index?: string; estimatedMs: number }[]
  tree?: PlanNode
  /** What came of it, where it was carried out. */
  actual?: {
    candidates: number
    scanned: number
    returned: number
    ms: number
    segments: number
    reads?: { records: number; blocks: number; bytes: number }
  }
}

/** A step of a plan; its children come before it. */
export interface PlanNode {
  node: string
  index?: string
  on?: string
  terms?: { path: string; value: unknown; estimated: number }[]
  estimated: number
  actual?: number
  ms?: number
  segments?: number
  children?: PlanNode[]
}
