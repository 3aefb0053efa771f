/** How a fault of R2 ends if a bucket lock protects the file. */
const LOCKED = '(10069)'

/**
 * Stores a file unless there is one of its name, which a bucket lock may protect. Returns whether it was stored; otherwise
 * the caller compares what is there.
 */
export async function putOnce(
  bucket: R2Bucket,
  key: string,
  content: ArrayBuffer | Uint8Array | string,
  options: R2PutOptions = {},
): Promise<boolean> {
  try {
    const onlyIf = { etagDoesNotMatch: '*' }
    return (await bucket.put(key, content, { ...options, onlyIf })) !== null
  } catch (fault) {
    if (fault instanceof Error && fault.message.endsWith(LOCKED)) return false
    throw fault
  }
}
