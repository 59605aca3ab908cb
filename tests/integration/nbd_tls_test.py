# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 120
"""TLS both ways: ours serves libnbd's and qemu's clients by certificates and by keys, and reads from qemu-nbd."""

import os
import socket
import struct
import subprocess
import time
import unittest

from command import MIB, CommandTest
from nbd_client import *


class TlsTest(CommandTest):
    needs = ("certtool", "psktool", "nbdinfo", "nbdcopy", "qemu-img", "qemu-nbd")

    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 70000), (3 * MIB, 200000), (6 * MIB, MIB + 5), size=9 * MIB)
        with open("a.raw", "rb") as file:
            self.content = file.read()

    def certificates(self, folder="pki"):
        """An authority, a server called localhost, and a client."""
        os.makedirs(folder)
        for who, template in (("ca", "cn = test\nca\ncert_signing_key\n"),
                              ("server", "cn = localhost\ndns_name = localhost\nip_address = 127.0.0.1\ntls_www_server\nencryption_key\nsigning_key\n"),
                              ("client", "cn = someone\ntls_www_client\nencryption_key\nsigning_key\n")):
            with open(f"{folder}/{who}.info", "w") as file:
                file.write(template)
            key, certificate = f"{folder}/{who}-key.pem", f"{folder}/{who}-cert.pem"
            self.run_program("certtool", "--generate-privkey", "--key-type", "ecdsa", "--outfile", key)
            if who == "ca":
                self.run_program("certtool", "--generate-self-signed", "--load-privkey", key, "--template", f"{folder}/{who}.info",
                                 "--outfile", certificate)
            else:
                self.run_program("certtool", "--generate-certificate", "--load-privkey", key, "--load-ca-certificate",
                                 f"{folder}/ca-cert.pem", "--load-ca-privkey", f"{folder}/ca-key.pem", "--template",
                                 f"{folder}/{who}.info", "--outfile", certificate)
        return os.path.abspath(folder)

    def client_folder(self, pki, with_certificate=True):
        """What a client is given: the authority, and what it proves itself by."""
        folder = os.path.abspath("client" if with_certificate else "nobody")
        os.makedirs(folder, exist_ok=True)
        names = ["ca-cert.pem", *(["client-cert.pem", "client-key.pem"] if with_certificate else [])]
        for name in names:
            with open(f"{pki}/{name}", "rb") as source, open(f"{folder}/{name}", "wb") as target:
                target.write(source.read())
        return folder

    def copied(self, uri, code=0):
        done = subprocess.run(["nbdcopy", uri, "copied"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        if code == 0:
            with open("copied", "rb") as file:
                self.assertTrue(file.read() == self.content)


class Tls(TlsTest):
    def test_certificates(self):
        pki = self.certificates()
        for cache in ("auto", "writeback"):
            with serving("-f", "raw", "-t", cache, "--tcp", "localhost:0", "--tls-certificates", pki, "a.raw") as (_, uri):
                self.assertTrue(uri.startswith("nbds://127.0.0.1:") or uri.startswith("nbds://[::1]:"), uri)
                folder = self.client_folder(pki, False)
                self.copied(f"{uri}/?tls-certificates={folder}")
                port = uri.rsplit(":", 1)[1]
                self.run_program("qemu-img", "convert", "-O", "raw", "--object", f"tls-creds-x509,id=t,endpoint=client,dir={folder}",
                                 "--image-opts", f"driver=nbd,host=localhost,port={port},tls-creds=t", "converted")
                with open("converted", "rb") as file:
                    self.assertTrue(file.read() == self.content)
                self.ours("convert", "-q", "-f", "raw", "-O", "raw", f"{uri}/?tls-certificates={folder}", "ours.raw")
                with open("ours.raw", "rb") as file:
                    self.assertTrue(file.read() == self.content)
                self.copied(uri.replace("nbds", "nbd"), code=1)

    def test_clients_are_verified(self):
        pki, other = self.certificates(), self.certificates("other")
        with serving("-f", "raw", "--tcp", "127.0.0.1:0", "--tls-certificates", pki, "--tls-verify-clients", "a.raw") as (_, uri):
            self.copied(f"{uri}/?tls-certificates={self.client_folder(pki)}")
            self.copied(f"{uri}/?tls-certificates={self.client_folder(pki, False)}", code=1)
            # Of another authority, to whom it believes that of the server.
            impostor = self.client_folder(other)
            with open(f"{pki}/ca-cert.pem") as source, open(f"{impostor}/ca-cert.pem", "w") as target:
                target.write(source.read())
            self.copied(f"{uri}/?tls-certificates={impostor}", code=1)
            self.copied(f"{uri}/?tls-certificates={self.client_folder(pki)}")

    def test_keys_over_a_unix_socket(self):
        self.run_program("psktool", "-u", "alice", "-p", "keys.psk")
        self.run_program("psktool", "-u", "alice", "-p", "wrong.psk")
        keys, wrong = os.path.abspath("keys.psk"), os.path.abspath("wrong.psk")
        with serving("--rw", "--tls-psk", keys, "a.raw") as (_, uri):
            self.assertTrue(uri.startswith("nbds+unix:///"), uri)
            at = uri.replace(":///", "://alice@/")
            self.copied(f"{at}&tls-psk-file={keys}")
            self.copied(f"{at}&tls-psk-file={wrong}", code=1)
            with open("b.raw", "wb") as file:
                file.write(os.urandom(9 * MIB))
            self.run_program("nbdcopy", "--flush", "b.raw", f"{at}&tls-psk-file={keys}")
        self.same("a.raw", "b.raw")

    def test_nothing_is_answered_before_tls_and_nothing_injected(self):
        pki = self.certificates()
        with serving("-f", "raw", "--tls-certificates", pki, "a.raw") as (_, uri):
            plain = uri.replace("nbds+", "nbd+")
            for option in (LIST, INFO, GO, STRUCTURED, EXTENDED, SET_META, 77):
                with Client(plain) as client:
                    client.hello().option(option, struct.pack(">IH", 0, 0))
                    self.assertEqual(client.reply()[0], TLS_REQUIRED)
            with Client(plain) as client:
                client.hello().option(EXPORT_NAME)
                self.assertTrue(client.closed_by_server())
            with Client(plain) as client:  # what follows STARTTLS in the clear
                client.hello().send(b"IHAVEOPT" + struct.pack(">II", STARTTLS, 0) + b"IHAVEOPT" + struct.pack(">II", STRUCTURED, 0))
                self.assertEqual(client.reply()[0], ACK)
                self.assertTrue(client.closed_by_server())
            for noise in (b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\xff\xff" + bytes(100), b""):
                with Client(plain) as client:
                    client.hello().option(STARTTLS)
                    self.assertEqual(client.reply()[0], ACK)
                    client.send(noise)
                    if not noise:
                        client.socket.shutdown(socket.SHUT_WR)
                    self.assertTrue(client.closed_by_server())
            self.copied(f"{uri}&tls-certificates={self.client_folder(pki, False)}&tls-hostname=localhost")

    def test_other_machines_only_by_tls(self):
        self.refuses("serve", "-f", "raw", "--tcp", "0.0.0.0:0", "a.raw", code=19, says="--no-tls")
        with serving("-f", "raw", "--tcp", "0.0.0.0:0", "--no-tls", "a.raw"):
            pass
        self.refuses("serve", "-f", "raw", "--tls-certificates", "/nowhere", "a.raw", code=11, says="server-cert.pem")
        open("keys", "w").close()
        self.refuses("serve", "-f", "raw", "--tls-psk", "keys", "--tls-certificates", "x", "a.raw", code=2, says="exclude")
        self.refuses("serve", "-f", "raw", "--tls-verify-clients", "a.raw", code=2, says="--tls-certificates")

    def test_a_silent_tls_handshake_ends(self):
        pki = self.certificates()
        with serving("-f", "raw", "--tls-certificates", pki, "a.raw") as (_, uri), Client(uri.replace("nbds+", "nbd+")) as client:
            client.hello().option(STARTTLS)
            client.reply()
            began = time.monotonic()
            self.assertTrue(client.closed_by_server())
            self.assertLess(time.monotonic() - began, 15)


if __name__ == "__main__":
    unittest.main()
