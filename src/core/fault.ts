/** Returns the message of a thrown value. */
export function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault)
}
