/** A font that is imported as a file: its path. */
declare module "*.woff" {
  const path: string;
  export default path;
}
