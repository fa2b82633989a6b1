"""Known credentials are found and replaced, look-alikes in prose and code are left alone."""

import pytest

from backstory.privacy.secrets import presentable, redact, suspect

# Assembled from pieces, so that no scanner takes this file for a leak.
CREDENTIALS = {
    "github": ["gh" + "p_" + "a1B2" * 9, "github" + "_pat_" + "11ABCDEFG0" * 5],
    "gitlab": ["gl" + "pat-" + "Zk3v9QwXyT7mN2bL5cRd"],
    "slack": [
        "xo" + "xb-" + "2490183746-kQ9vT3mZ7wR1",
        "https://hooks.slack" + ".com/services/T01B2C3D4/B05E6F7G8/q9W8e7R6",
    ],
    "aws": ["AK" + "IA" + "QX7ZJ4M2N6P3R5T2"],
    "anthropic": ["sk-" + "ant-api03-Qm4kT9vLx2Zr7Wn5Yb1Ht8"],
    "openai": ["sk-" + "proj-Qm4kT9vLx2Zr7Wn5Yb1Ht8"],
    "stripe": ["sk" + "_live_" + "9f8G7h6J5k4L3m2N1p0Q"],
    "google": ["AI" + "za" + "SyD4k9Qm2Zr7Wn5Yb1Ht8Lx3Vc6Bn0Kj5Pq"],
    "huggingface": ["hf" + "_" + "QmKtVLxZrWnYbHtPqRsDfGhJkLzXcVbNmA"],
    "npm": ["np" + "m_" + "k9Qm2Zr7Wn5Yb1Ht8Lx3Vc6Bn0Kj5Pq4Tz8U"],
    "pypi": ["py" + "pi-AgE" + "IcHlwaS5vcmcCJDk3" * 4],
    "sendgrid": ["S" + "G." + "k9Qm2Zr7Wn5Yb1Ht8Lx3Vc" + "." + "Bn0Kj5Pq4Tz8Uk9Qm2Zr7Wn5Yb1Ht8Lx3Vc6Bn0Kj5P"],
    "jwt": ["ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiI0MiJ9.k9Qm2Zr7Wn5Yb1Ht8Lx3Vc6Bn0Kj5Pq4"],
    "pem": ["-----BEGIN RSA PRIVATE" + " KEY-----\n" + "MIIEowIBAAKCAQEA7\n" * 6 + "-----END RSA PRIVATE KEY-----"],
    "header": ["Author" + "ization: Bearer k9Qm2Zr7Wn5Yb1Ht8Lx3", '"author' + 'ization": "Basic dXNlcjpodW50ZXIyMTIz"'],
    "url": ["postgres://app:" + "hunter2xyz@db.internal:5432/app"],
    "password": ["DB_PASS" + "WORD=hunter2xyz", "pass" + 'word: "corr3ct!horse"', '{"pass' + 'word": "s3cr3tpw"}'],
    "key": [
        "AWS_SECRET_ACCESS" + "_KEY=wJalrXUtnFEMI9K7MDENG0bPxRfiCYzK3YKEYabcd",
        "api" + "_key = 'k9Qm2Zr7Wn5Yb1Ht8Lx3'",
    ],
}
PLAIN = [
    "max_tokens: 128000, token = tokenizer.next_token(stream)",
    "password = os.environ['DB_PASSWORD']",
    "password: string; secret: SecretStr; token: str | None = None",
    'password="your-password-here" token="xxxxxxxxxxxxxxxxxxxxxxxx" api_key = "<API_KEY_1234>"',
    "export OPENAI_API_KEY=$OPENAI_API_KEY2",
    "a risk-based-approach-to-desk-sharing and task-list-item-number-12",
    "const secretName = 'projects/x'; secret: projects/prod/secrets/db_main",
    "git@github.com:owner/repo.git and https://example.org/@user and mail me@host.org: hello@there.de",
    "The private key goes between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----.",
    "cancellation_token = CancellationToken(source_123)",
    "password = base64.b16encode(random_bytes[8:])",
    "token = this.jwtSignRS256Now128(tokenData)",
    'remote = f"https://{token}:x-oauth-basic@github.com/{name}.git"',
    "commit 3f785a1c0de0b0d1e2f3a4b5c6d7e8f901234567",
]


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in CREDENTIALS.items() for text in texts])
def test_a_credential_is_replaced_and_its_surroundings_stay(rule: str, text: str) -> None:
    redacted, hits = redact(f"before {text} after")
    assert suspect(f"before {text} after")
    assert hits == 1
    assert f"[redacted:{rule}]" in redacted
    assert redacted.startswith("before ")
    assert redacted.endswith(" after")
    assert text not in redacted


@pytest.mark.parametrize("text", PLAIN)
def test_prose_and_code_without_a_credential_is_the_same_object(text: str) -> None:
    redacted, hits = redact(text)
    assert (redacted is text, hits) == (True, 0)


def test_two_credentials_on_one_line_are_both_counted() -> None:
    text = f"{CREDENTIALS['gitlab'][0]} {CREDENTIALS['password'][0]}"
    assert redact(text) == ("[redacted:gitlab] DB_PASSWORD=[redacted:password]", 2)


def test_only_addresses_and_headers_of_requests_leave_a_text_presentable() -> None:
    address, key, header = CREDENTIALS["url"][0], CREDENTIALS["aws"][0], CREDENTIALS["header"][0]
    assert presentable(f"{address} {header}\n") is not None
    assert presentable(f"{header} {key}") is None
    assert presentable(f"see {address}\n") == "see postgres://app:[redacted:url]@db.internal:5432/app\n"
    assert presentable("plain") == "plain"
    assert presentable(f"{address} {key}") is None
    assert presentable(f"[redacted:url] {key}") is None
    assert presentable(f"[redacted:url] {address}") is not None
