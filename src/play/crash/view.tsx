export default function Crash() {
  return <h1>Crash</h1>
}
