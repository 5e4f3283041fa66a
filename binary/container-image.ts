import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import manifest from "./package.json";
import { runProgram } from "./run-program.ts";

/** An account without a name on any host; only `/data` belongs to it. */
export const imageAccount = 65_532;
const architectures: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };
const libraryLicence = "/usr/share/doc/libc6/copyright";

const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

type Descriptor = { readonly mediaType: string; readonly digest: string; readonly size: number };

/** An image takes the C library of the machine that builds it, so that only its own target can be built. */
export function canBuildImage(target: string): boolean {
  return target === `${process.platform}-${process.arch}` && target in architectures;
}

export type ImageOptions = {
  readonly target: string;
  /** For the revision label. */
  readonly commit: string;
  /** Whether to compress less. */
  readonly isQuick: boolean;
};

/**
 * Builds a container image of a binary, as an archive in the OCI layout, which podman, docker, skopeo and containerd
 * load. It holds the program, the C library, and nothing else: no shell, no package manager.
 * @returns the path of the archive
 * @throws Error when tar, gzip or ldd is missing or fails
 */
export function buildContainerImage(binary: string, { target, commit, isQuick }: ImageOptions): string {
  const folder = dirname(binary);
  const work = mkdtempSync(join(folder, ".image-"));
  const layout = join(work, "layout");
  const blobs = join(layout, "blobs/sha256");
  mkdirSync(blobs, { recursive: true });
  const put = (bytes: Uint8Array, mediaType: string): Descriptor => {
    const digest = sha256(bytes);
    writeFileSync(join(blobs, digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  const putJson = (value: object, mediaType: string): Descriptor => put(Buffer.from(JSON.stringify(value)), mediaType);
  const files = packFiles(work, binary);
  const layer = put(Bun.gzipSync(files, { level: isQuick ? 1 : 6 }), mediaTypes.layer);
  const config = putJson(configOf(target, { layer: sha256(files), commit }), mediaTypes.config);
  const image = putJson(
    { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [layer] },
    mediaTypes.manifest,
  );
  const named = { ...image, annotations: { "org.opencontainers.image.ref.name": manifest.version } };
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [named] };
  writeFileSync(join(layout, "index.json"), JSON.stringify(index));
  writeFileSync(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  const archive = `${binary}.oci.tar`;
  rmSync(archive, { force: true });
  appendTo(archive, layout, ["oci-layout", "index.json", "blobs"], 0);
  rmSync(work, { recursive: true });
  return archive;
}

/** The files of the image as one tar. */
function packFiles(work: string, binary: string): Uint8Array<ArrayBuffer> {
  const tree = join(work, "tree");
  const put = (path: string, from: string): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    copyFileSync(from, join(tree, path));
    chmodSync(join(tree, path), 0o755);
  };
  put("usr/bin/sluice", binary);
  for (const [path] of runProgram(["ldd", binary]).matchAll(/\/lib\S+/g)) {
    put(path, realpathSync(path));
  }
  if (existsSync(libraryLicence)) {
    mkdirSync(join(tree, "usr/share/doc/libc6"), { recursive: true });
    cpSync(libraryLicence, join(tree, libraryLicence));
  }
  mkdirSync(join(tree, "etc"));
  writeFileSync(join(tree, "etc/passwd"), `root:x:0:0::/:/\nsluice:x:${imageAccount}:${imageAccount}::/data:/\n`);
  writeFileSync(join(tree, "etc/group"), `root:x:0:\nsluice:x:${imageAccount}:\n`);
  mkdirSync(join(tree, "tmp"));
  chmodSync(join(tree, "tmp"), 0o1777);
  const owned = join(work, "owned");
  mkdirSync(join(owned, "data"), { recursive: true, mode: 0o700 });
  const packed = join(work, "files.tar");
  appendTo(packed, tree, ["."], 0);
  appendTo(packed, owned, ["data"], imageAccount);
  return readFileSync(packed);
}

/** The same files give the same bytes: in one order, of one time, and of one owner. */
function appendTo(archive: string, folder: string, names: readonly string[], owner: number): void {
  runProgram([
    ...["tar", "--append", "--file", archive, "--directory", folder, "--format=ustar", "--sort=name", "--mtime=@0"],
    ...[`--owner=${owner}`, `--group=${owner}`, "--numeric-owner", "--transform=s,^\\./,,", ...names],
  ]);
}

function configOf(target: string, made: { readonly layer: string; readonly commit: string }): object {
  return {
    architecture: architectures[target],
    os: "linux",
    config: {
      User: `${imageAccount}:${imageAccount}`,
      Env: ["PATH=/usr/bin", "NODE_ENV=production", "HOST=0.0.0.0", "PORT=3000", "DATA_DIR=/data"],
      Entrypoint: ["/usr/bin/sluice"],
      Cmd: ["start"],
      WorkingDir: "/data",
      Volumes: { "/data": {} },
      ExposedPorts: { "3000/tcp": {} },
      StopSignal: "SIGTERM",
      Labels: {
        "org.opencontainers.image.title": "sluice",
        "org.opencontainers.image.version": manifest.version,
        "org.opencontainers.image.revision": made.commit,
      },
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${made.layer}`] },
    history: [{ created_by: "bun run release --image" }],
  };
}

const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
