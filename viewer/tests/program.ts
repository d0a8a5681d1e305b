/** The real program: it runs models into a temporary folder and serves them. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";

const tree = new URL("../..", import.meta.url).pathname;
export const POINSOT = resolve(tree, process.env.POINSOT ?? "target/release/poinsot");
export const example = (name: string): string => join(tree, "examples", `${name}.toml`);
export const verification = (name: string): string => join(tree, "verification", `${name}.toml`);

export interface Ended { code: number | null; out: string; err: string }

/** Runs a command to its end. */
export function poinsot(folder: string, ...words: string[]): Promise<Ended> {
  if (!existsSync(POINSOT)) throw new Error(`there is no ${POINSOT}: build it with “cargo build --release”, or name another with POINSOT=path`);
  return new Promise((done) => {
    execFile(POINSOT, words, { cwd: folder, timeout: 150_000 }, (error, out, err) => done({ code: error ? Number(error.code ?? -1) : 0, out, err }));
  });
}

/** Runs a command that must succeed. */
export async function succeed(folder: string, ...words: string[]): Promise<void> {
  const { code, err } = await poinsot(folder, ...words, "--quiet");
  if (code !== 0) throw new Error(`poinsot ${words.join(" ")} ended with ${code}: ${err}`);
}

/** Columns of signals.csv by name. */
export function signals(folder: string): { at(name: string, time: number): number; length: number } {
  const [head, ...rows] = readFileSync(join(folder, "signals.csv"), "utf8").trim().split("\n").filter((line) => !line.startsWith("#"));
  const names = head!.split(",").map((name) => name.trim().replace(/^"|"$/g, "").replace(/ [([].*$/, ""));
  const table = rows.map((row) => row.split(",").map(Number));
  return {
    length: table.length,
    at(name, time) {
      const column = names.indexOf(name);
      if (column < 0) throw new Error(`there is no column ${name} among ${names.join(", ")}`);
      const k = Math.max(0, table.findIndex((row) => row[0]! >= time - 1e-12) - 1);
      const [a, b] = [table[k]!, table[Math.min(k + 1, table.length - 1)]!];
      const u = b[0]! > a[0]! ? (time - a[0]!) / (b[0]! - a[0]!) : 0;
      return a[column]! + u * (b[column]! - a[column]!);
    },
  };
}

/** A server that the program runs, from its address on. */
export class Served {
  err = "";
  private constructor(private readonly child: ChildProcess, readonly address: string) {}

  static start(folder: string, ...words: string[]): Promise<Served> {
    const child = spawn(POINSOT, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    return new Promise((done, fail) => {
      let out = "", err = "", served: Served | null = null;
      child.stderr!.on("data", (text) => {
        err += text;
        if (served) served.err = err;
      });
      child.stdout!.on("data", (text) => {
        out += text;
        const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(out)?.[0];
        if (!address || served) return;
        served = new Served(child, address);
        served.err = err;
        done(served);
      });
      child.on("exit", (code) => fail(new Error(`it ended with ${code} before it gave an address: ${err}`)));
    });
  }

  get port(): number {
    return Number(new URL(this.address).port);
  }

  /** Sends a signal; gives the exit code, null if the signal killed it. */
  end(signal: "SIGINT" | "SIGTERM" = "SIGINT"): Promise<number | null> {
    if (this.child.exitCode !== null) return Promise.resolve(this.child.exitCode);
    return new Promise((done) => {
      this.child.once("exit", (code) => done(code));
      this.child.kill(signal);
    });
  }

  /** A request as it is, which a browser would tidy up; gives status and body. */
  ask(path: string, host = `127.0.0.1:${this.port}`): Promise<{ status: number; body: string }> {
    return new Promise((done, fail) => {
      const socket = connect(this.port, "127.0.0.1");
      let answer = "";
      socket.setEncoding("latin1").on("data", (text) => (answer += text)).on("error", fail).on("end", () => {
        const [head, ...body] = answer.split("\r\n\r\n");
        done({ status: Number(head!.split(" ")[1]), body: body.join("\r\n\r\n") });
      });
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
  }
}
