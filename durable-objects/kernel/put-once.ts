/** How a fault of R2 ends if a bucket lock protects the file. */
const LOCKED = '(10069)'

/**
 * Stores a file unless the bucket has one of that name, which a lock may protect. Returns false if it has: the caller
 * must then compare the two.
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
